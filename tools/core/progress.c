/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress line. The library's functions are pure and report nothing while they work, so a timer
 * interrupts them: its handler prints the sentence last given and the seconds since the first, with
 * async-signal-safe calls only. The sentence is written to the buffer that is not on show, then the two
 * change places.
 */
#include "progress.h"

#include "complain.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { TICKS_PER_SECOND = 4, FIRST_TICKS = 2 };

static char sentence[2][160];
static volatile sig_atomic_t shown_sentence, ticks, line_visible;
static int running;

double clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static size_t put_seconds(char *line, unsigned seconds) {
    char digits[16];
    size_t count = 0, length = 0;
    do {
        digits[count++] = (char)('0' + seconds % 10);
        seconds /= 10;
    } while (seconds);
    while (count) line[length++] = digits[--count];
    return length;
}

static void tick(int signal_number) {
    char line[256];
    size_t length = 0;
    int error = errno; /* of whoever is interrupted */
    (void)signal_number;
    if (++ticks < FIRST_TICKS) return;
    const char *text = sentence[shown_sentence];
    line[length++] = '\r';
    while (*text) line[length++] = *text++;
    line[length++] = ' ';
    length += put_seconds(line + length, (unsigned)(ticks / TICKS_PER_SECOND));
    memcpy(line + length, " s\033[K", 5);
    length += 5;
    line_visible = write(STDERR_FILENO, line, length) > 0;
    errno = error;
}

/* Room for a sentence with the seconds behind it, on one line of the terminal. */
static size_t line_width(void) {
    struct winsize size;
    size_t width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
    return width - 10 < sizeof sentence[0] ? width - 10 : sizeof sentence[0];
}

static void set_timer(long microseconds) {
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void progress_say(const char *format, ...) {
    va_list arguments;
    int hidden = !shown_sentence;
    if (is_silent()) return;
    va_start(arguments, format);
    vsnprintf(sentence[hidden], line_width(), format, arguments);
    va_end(arguments);
    plain_text(sentence[hidden]);
    shown_sentence = hidden;
    if (running || !isatty(STDERR_FILENO)) return;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = tick;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    ticks = 0;
    running = 1;
    set_timer(1000000 / TICKS_PER_SECOND);
}

void progress_end(void) {
    if (!running) return;
    set_timer(0);
    running = 0;
    if (line_visible && write(STDERR_FILENO, "\r\033[K", 4) < 0) return;
    line_visible = 0;
}
