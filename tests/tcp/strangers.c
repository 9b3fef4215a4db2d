/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strangers at the door of a bridge.
 *
 *     strangers_program CONTACT-FILE TENTHS-OF-SECONDS [idle]
 *     strangers_program impostor
 *
 * Waits for the contact file, remembers where its writer listens, and then, for so long: keeps a hundred
 * connections open that say nothing, or speak as if they were expected later, and again and again sends
 * random bytes of random lengths, half an answer, the answer of one that has another secret, and an answer
 * that was overheard. All of these must be shown out. Prints how many knocked and were shown out while it
 * looked. With `idle`, the hundred say nothing, and whoever is shown out comes back at once.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "wire/tcp/inside.h"

enum { SILENT = 100 };

static qdri_address address;
static qdri_random random_bytes;
static int accepted;

static int knock(void) {
    int file = socket(address.socket.ss_family, SOCK_STREAM, 0);
    if (file < 0 || connect(file, (struct sockaddr *)&address.socket, address.length) == 0) return file;
    close(file);
    return -1;
}

/* Listens, prints where, and tells whoever comes that it has another version. */
static void pretend(void) {
    qdri_address own;
    qdri_handshake shake;
    int door = -1;
    if (qdri_address_read("127.0.0.1", 0, &own) || qdri_address_listen(&own, &door)) exit(2);
    printf("%d\n", qdri_address_port(&own));
    fflush(stdout);
    for (struct pollfd one = {.fd = door, .events = POLLIN}; poll(&one, 1, 30000) == 1;) {
        int file = accept(door, NULL, NULL);
        if (file < 0 || qdri_hello_make(&shake)) exit(2);
        shake.hello[8]++;
        if (send(file, shake.hello, QDRI_HELLO, MSG_NOSIGNAL) < 0) exit(2);
        close(file);
    }
    exit(0);
}

/* So many bytes, or fewer if the connection ends or nothing comes for two seconds. */
static int hear(int file, void *bytes, int size) {
    int got = 0;
    struct pollfd one = {.fd = file, .events = POLLIN};
    while (got < size && poll(&one, 1, 2000) == 1) {
        ssize_t more = recv(file, (char *)bytes + got, (size_t)(size - got), 0);
        if (more <= 0) break;
        got += (int)more;
    }
    return got;
}

static void say(int file, const void *bytes, size_t size) {
    if (send(file, bytes, size, MSG_NOSIGNAL) < 0) return;
}

/* True when whoever answers ended it. */
static int visit(int kind) {
    static qdri_handshake overheard;
    qdri_handshake shake;
    unsigned char bytes[400], secret[QDRI_SECRET];
    int file = knock(), length = 1 + (int)qdri_random_below(&random_bytes, sizeof bytes - 1);
    if (file < 0) return 0;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)qdri_random_next(&random_bytes);
    memcpy(secret, bytes, sizeof secret);
    if (kind == 0) {
        if (length < QDRI_ANSWER) length += QDRI_ANSWER;
        say(file, bytes, (size_t)length);
        (void)hear(file, shake.hello, QDRI_HELLO);
    } else if (hear(file, shake.hello, QDRI_HELLO) == QDRI_HELLO) {
        if (qdri_answer_make(&shake, secret, kind % 2 ? QDRI_CONTROL : QDRI_LINK, 0, 0)) exit(2);
        if (kind == 3 && overheard.answer[0]) memcpy(shake.answer, overheard.answer, QDRI_ANSWER);
        overheard = shake;
        say(file, shake.answer, kind == 4 ? 50 : QDRI_ANSWER);
        if (kind == 4) shutdown(file, SHUT_WR);
    }
    if (hear(file, shake.verdict, QDRI_VERDICT) == QDRI_VERDICT)
        accepted += shake.verdict[0] == QDRI_ACCEPTED;
    int ended = hear(file, bytes, 1) == 0;
    close(file);
    return ended;
}

/* It claims to be a rank of the other program, without any proof. */
static int knock_early(void) {
    qdri_handshake shake = {.hello = {0}};
    unsigned char secret[QDRI_SECRET] = {0};
    int file = knock();
    if (file < 0 || hear(file, shake.hello, QDRI_HELLO) < QDRI_HELLO) return file;
    if (qdri_answer_make(&shake, secret, QDRI_LINK, 0, 0)) exit(2);
    say(file, shake.answer, QDRI_ANSWER);
    return file;
}

/* A hundred that say nothing. Prints when all are there, and at the end how many were shown out. */
static void be_idle(double until) {
    struct pollfd one[SILENT];
    int shown_out = 0;
    for (int i = 0; i < SILENT; i++) one[i] = (struct pollfd){.fd = knock(), .events = POLLIN};
    printf("there\n");
    fflush(stdout);
    while (qdri_seconds() < until && poll(one, SILENT, 100) >= 0)
        for (int i = 0; i < SILENT; i++) {
            char hello[QDRI_HELLO];
            if (one[i].fd >= 0 && (!one[i].revents || recv(one[i].fd, hello, sizeof hello, MSG_DONTWAIT) > 0))
                continue;
            if (one[i].fd >= 0) close(one[i].fd);
            one[i].fd = knock();
            shown_out++;
        }
    printf("shown out %d\n", shown_out);
    exit(0);
}

static int find(const char *path) {
    for (int i = 0; i < 3000; i++, usleep(10000)) {
        char text[QDRI_CONTACT_BYTES];
        qdri_contact contact;
        FILE *file = fopen(path, "r");
        if (!file) continue;
        size_t length = fread(text, 1, sizeof text, file);
        fclose(file);
        if (qdri_contact_read(path, text, length, &contact) == QDR_OK &&
            qdri_address_read(contact.address, (int)contact.port, &address) == QDR_OK)
            return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    int silent[SILENT], shown_out = 0, knocked = 0;
    if (argc == 2 && strcmp(argv[1], "impostor") == 0) pretend();
    if (argc < 3 || !find(argv[1])) return 2;
    double until = qdri_seconds() + 0.1 * atoi(argv[2]);
    if (argc == 4) be_idle(until);
    random_bytes = qdri_random_seed(5);
    for (int i = 0; i < SILENT; i++) silent[i] = i % 2 ? knock_early() : knock();
    for (int kind = 0; qdri_seconds() < until; kind = (kind + 1) % 5, knocked++) shown_out += visit(kind);
    for (int i = 0; i < SILENT; i++) close(silent[i]);
    printf("shown out %d of %d, accepted %d\n", shown_out, knocked, accepted);
    return accepted > 0;
}
