/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows that find themselves, on networks of which they know nothing (port_network_testing.h): 10 KB in flight are enough on
 * some, and 100 are needed on others. Receivers grant as `paced` does (grants.c), each by its port. After three exchanges
 * the time of an exchange is held against the best of six fixed windows, from a quarter to four times what a port of the
 * network holds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/order.h"
#include "plan/answers.h"
#include "plan/note.h"

typedef struct telling {
    int is_grant;
    int64_t bytes;
    double granted;
    int64_t load, load_left;
    qdri_port_word word;
} telling;

#include "plan/port_testing.h"
#include "light.h"

enum {
    PACKET = 1400,
    HEAD = 32,
    NOTE = HEAD + (int)sizeof(qdri_packed_note)
}; /* what MPI puts before a message, about */

/* ---- exchanges ----------------------------------------------------------------------------------------- */

typedef struct receiver {
    int64_t begun[HOSTS], ended[HOSTS]; /* from each */
    int64_t in, out, in_ended, out_begun;
    double since[HOSTS];
    qdri_answers answers[HOSTS];
    int64_t outstanding, load, load_left;
    int next;
    qdri_port port;
} receiver;

static receiver rank[HOSTS];
static int64_t bytes_of[HOSTS][HOSTS]; /* [from][to] */
static int64_t fixed_window;           /* 0: that of the port */
static int sources;

static void hear(receiver *one, int64_t load, int64_t left) {
    if (load < one->load || (load == one->load && left >= one->load_left)) return;
    one->load = load;
    one->load_left = left;
}

static double how_far_ahead(const receiver *one) {
    return (double)one->load_left / (double)one->load - (double)(one->in - one->in_ended) / (double)one->in;
}

/* Senders with bytes that are not granted. */
static int waiting_for(int to) {
    int waiting = 0;
    for (int from = 0; from < network.hosts; from++) waiting += bytes_of[from][to] > rank[to].begun[from];
    return waiting;
}

static int is_critical(const receiver *one) {
    enum { FEW = 2 };
    return one->load > 0 && waiting_for((int)(one - rank)) > FEW &&
           how_far_ahead(one) <= 0.05 * (double)one->load_left / (double)one->load;
}

static int64_t window_of(const receiver *one) {
    return fixed_window ? fixed_window : (int64_t)one->port.window;
}

static int64_t chunk_of(const receiver *one) {
    return fixed_window ? fixed_window / 10 : qdri_port_least_chunk(&one->port);
}

static int has_to_answer(const receiver *one, int from) {
    return !fixed_window &&
           qdri_answers_first(&one->answers[from], &one->port, one->begun[from] - one->ended[from],
                              one->since[from], future.now);
}

/* The sender to grant next, as in grants.c; -1: none. */
static int next_sender(const receiver *one, int to, int *waiting) {
    double best_claim = 0;
    int best = -1;
    *waiting = 0;
    for (int i = 0; i < network.hosts; i++) {
        int from = (one->next - i + network.hosts) % network.hosts;
        int64_t left = bytes_of[from][to] - one->begun[from];
        double claim = (double)left / (double)(one->begun[from] - one->ended[from] + chunk_of(one));
        *waiting += left > 0;
        if (left > 0 && has_to_answer(one, from)) continue;
        if (claim <= best_claim) continue;
        best = from;
        best_claim = claim;
    }
    return best;
}

static int64_t own_window(const receiver *one) {
    double load = (double)one->load, window = (double)window_of(one),
           kept = qdri_window_kept(how_far_ahead(one), one->port.rate / load, one->port.latency);
    if (kept >= 1) return (int64_t)window;
    return qdri_larger(2 * chunk_of(one), (int64_t)(kept * (double)one->in / load * window));
}

static void grant(int to) {
    receiver *one = &rank[to];
    while (one->in_ended < one->in) {
        int waiting, from = next_sender(one, to, &waiting);
        if (from < 0) return;
        hear(one, qdri_larger(one->in, one->out),
             qdri_larger(one->in - one->in_ended, one->out - one->out_begun));
        int64_t window = own_window(one);
        int64_t room = window - one->outstanding, share = window / (2 * waiting);
        if (!fixed_window) share = qdri_smaller(share, qdri_port_most_chunk(&one->port));
        int64_t bytes = qdri_larger(chunk_of(one), share);
        if (room >= qdri_larger(bytes / 2, QDRI_PACKET)) bytes = qdri_smaller(bytes, room);
        bytes = qdri_smaller(bytes_of[from][to] - one->begun[from], bytes);
        bytes = qdri_answers_most(&one->answers[from], one->begun[from] - one->ended[from], bytes);
        if (one->outstanding > 0 && one->outstanding + bytes > window) return;
        if (one->begun[from] == one->ended[from]) one->since[from] = future.now;
        one->next = (from - 1 + network.hosts) % network.hosts;
        one->outstanding += bytes;
        one->begun[from] += bytes;
        send_message(to, from, NOTE,
                     (telling){1, bytes, future.now, one->load, one->load_left, qdri_port_tell(&one->port)});
    }
}

static void handle(const message *came) {
    const telling *said = &came->content;
    receiver *one = &rank[came->to];
    if (said->is_grant) {
        hear(one, said->load, said->load_left);
        qdri_port_told(&one->port, said->word, future.now);
        one->out_begun += said->bytes;
        send_message(came->to, came->from, said->bytes + HEAD,
                     (telling){0, said->bytes, said->granted, 0, 0, {0}});
        return;
    }
    int is_awaited = rank[came->from].begun[came->to] < bytes_of[came->to][came->from];
    double share = is_awaited ? (double)bytes_of[came->from][came->to] / (double)one->in : 1;
    int was_lost = said->granted > 0 && !fixed_window &&
                   qdri_answers_judge(&one->answers[came->from], &one->port, came->from, share, said->granted,
                                      future.now);
    one->since[came->from] = future.now;
    one->ended[came->from] += said->bytes;
    one->in_ended += said->bytes;
    one->outstanding -= said->bytes;
    qdri_port_arrived(&one->port, said->bytes, was_lost, is_critical(one), future.now);
    if (one->in_ended < one->in) {
        grant(came->to);
    } else {
        qdri_port_leave(&one->port, future.now);
        ranks_left--;
    }
}

static void begin(int to) {
    receiver *one = &rank[to];
    qdri_port port = one->port;
    qdri_answers answers[HOSTS];
    memcpy(answers, one->answers, sizeof answers);
    *one = (receiver){.port = port, .next = (to - 1 + network.hosts) % network.hosts};
    memcpy(one->answers, answers, sizeof answers);
    for (int i = 0; i < network.hosts; i++) {
        one->in += bytes_of[i][to];
        one->out += bytes_of[to][i];
    }
    ranks_left += one->in > 0;
    if (one->in > 0) qdri_port_enter(&one->port, future.now);
}

static void send_unasked(int to, int64_t most) {
    for (int i = 1; i < network.hosts; i++) {
        int from = (to + i) % network.hosts;
        int64_t bytes = fixed_window ? qdri_smaller(bytes_of[from][to], most / sources)
                                     : qdri_window_unasked_of(most / sources, bytes_of[from][to]);
        if (bytes == 0) continue;
        rank[to].begun[from] += bytes;
        rank[to].outstanding += bytes;
        rank[to].since[from] = qdri_port_is_far(&rank[to].port) ? future.now : 0;
        rank[from].out_begun += bytes;
        send_message(from, to, bytes + HEAD, (telling){0, bytes, 0, 0, 0, {0}});
    }
}

static void begin_all(void) {
    for (int i = 0; i < network.hosts; i++) begin(i);
    for (int i = 0; i < network.hosts; i++)
        send_unasked(i, fixed_window ? fixed_window : qdri_port_unasked(&rank[i].port));
    for (int i = 0; i < network.hosts; i++) grant(i);
}

/* ---- patterns ------------------------------------------------------------------------------------------ */

static double draw_bytes(qdri_random *random, double least, double most) {
    double even = (double)qdri_random_below(random, 1 << 30) / (1 << 30);
    return least * pow(most / least, even);
}

static void complete(int from, int to, qdri_random *random) {
    (void)random;
    bytes_of[from][to] = 64 << 10;
}

static void into_two(int from, int to, qdri_random *random) {
    (void)random;
    bytes_of[from][to] = to < 2 ? 100000 : 0;
}

static void quarter(int from, int to, qdri_random *random) {
    double bytes = draw_bytes(random, 4e3, 4e5);
    bytes_of[from][to] = qdri_random_below(random, 4) == 0 ? (int64_t)bytes : 0;
}

/* Most messages are less than a window, or than what a long wire holds. */
static void half(int from, int to, qdri_random *random) {
    double bytes = draw_bytes(random, 1e3, 1e5);
    bytes_of[from][to] = qdri_random_below(random, 2) == 0 ? (int64_t)bytes : 0;
}

static void permutation(int from, int to, qdri_random *random) {
    double bytes = draw_bytes(random, 5e3, 5e5);
    bytes_of[from][to] = to == (from + 3) % network.hosts ? (int64_t)bytes : 0;
}

typedef void pattern(int from, int to, qdri_random *random);

static void lay_out(pattern *entry) {
    qdri_random random = qdri_random_seed(5);
    memset(bytes_of, 0, sizeof bytes_of);
    sources = 1;
    for (int to = 0; to < network.hosts; to++) {
        int count = 0;
        for (int from = 0; from < network.hosts; from++) {
            if (from != to) entry(from, to, &random);
            count += bytes_of[from][to] > 0;
        }
        if (count > sources) sources = count;
    }
}

static double measure(const setting *where, pattern *entry, double share) {
    open_setting(where);
    fixed_window = (int64_t)(share * network.buffer);
    lay_out(entry);
    for (int i = 0; i < network.hosts; i++) {
        rank[i] = (receiver){.in = 0};
        open_port(&rank[i].port);
    }
    return time_settled();
}

/* How far from the best fixed window. */
static double compare(const setting *where, pattern *entry) {
    static const double shares[] = {0.25, 0.5, 5.0 / 6, 1, 2, 4};
    double best = INFINITY, found = measure(where, entry, 0);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        best = fmin(best, measure(where, entry, shares[i]));
    return found / best;
}

static void check_median(double *ratio, int count) {
    qsort(ratio, (size_t)count, sizeof *ratio, by_value);
    print_message("median %.3f, worst %.3f\n", ratio[count / 2], ratio[count - 1]);
    assert_true(ratio[count / 2] <= 1.05 && ratio[count - 1] <= 1.15);
}

static void finds_itself(void **state) {
    static pattern *const patterns[] = {complete, into_two, quarter};
    double ratio[64];
    int count = 0;
    (void)state;
    for (int s = 0; s < light_or(1, SETTINGS); s++)
        for (int p = 0; p < light_or(1, 3); p++, count++) {
            ratio[count] = compare(&settings[s], patterns[p]);
            print_message("%s, pattern %d: %.3f\n", settings[s].name, p, ratio[count]);
        }
    check_median(ratio, count);
}

/* Where a round trip takes longer than most messages, a port that waits for one too many loses it. */
static void fills_long_wires(void **state) {
    static pattern *const patterns[] = {half, permutation};
    double ratio[8];
    int count = 0;
    (void)state;
    for (int s = 0; s < SETTINGS; s++)
        for (int p = 0; settings[s].delay > 0 && p < light_or(1, 2); p++, count++) {
            ratio[count] = compare(&settings[s], patterns[p]);
            print_message("%s, pattern %d: %.3f\n", settings[s].name, p, ratio[count]);
        }
    check_median(ratio, count);
}

/* What was too much is kept away from, and a later run knows it. */
static void comes_back_after_a_loss(void **state) {
    qdri_port port = {.owners = 1}, later = {.owners = 1};
    double now = 1;
    (void)state;
    qdri_port_init(&port);
    qdri_port_told(&port, (qdri_port_word){.window = 100000}, now); /* the best rate is this port's own */
    port.rate = port.best = 6e6;
    qdri_port_enter(&port, now);
    qdri_port_arrived(&port, 5000, 1, 0, now + 0.5);
    assert_int_equal((int64_t)port.window, 50000);
    qdri_port_leave(&port, now + 0.6);
    for (int i = 0; i < 5; i++) {
        qdri_port_enter(&port, ++now);
        qdri_port_leave(&port, now + 0.1);
    }
    assert_true(port.ceiling > 74000 && port.ceiling < 80000);
    qdri_port_word word = qdri_port_remember(&port);
    assert_true(word.ceiling >= 80000 && word.ceiling < 82000);
    qdri_port_init(&later);
    qdri_port_recall(&later, word);
    assert_int_equal((int64_t)later.window, word.window);
    assert_int_equal((int64_t)later.ceiling, word.ceiling);
    assert_int_equal(qdri_port_unasked(&later), word.window);
    qdri_port_recall(&later, (qdri_port_word){.window = 200000}); /* it knows better by now */
    assert_int_equal((int64_t)later.window, word.window);
}

/* Grants that a long wire would mostly wait for are spared: but not before its rate is known, nor once something was lost. */
static void spares_grants_on_long_wires(void **state) {
    const qdri_port_word found = {.window = 100000}, lost = {.window = 100000, .ceiling = 100000};
    qdri_port near = {.owners = 1}, far = {.owners = 1};
    (void)state;
    qdri_port_init(&near);
    qdri_port_init(&far);
    qdri_port_set_latency(&near, 0.001);
    qdri_port_set_latency(&far, 0.02);
    assert_false(qdri_port_is_short(&far, 1000));
    qdri_port_told(&near, found, 1);
    qdri_port_told(&far, found, 1);
    assert_false(qdri_port_is_short(&near, 1000));
    assert_true(qdri_port_is_short(&far, 190000));
    assert_false(qdri_port_is_short(&far, 210000));
    qdri_port_told(&far, lost, 1);
    assert_false(qdri_port_is_short(&far, 1000));
}

/* Four ranks have a port. What one of them knows is of its part, and what it tells of a quarter; when nothing is under way, it has a
 * quarter. */
static void has_a_part_of_the_port(void **state) {
    const qdri_port_word found = {.window = 10000, .best = 1000000}, lost = {.window = 8000, .ceiling = 8000};
    qdri_port port = {.owners = 1};
    (void)state;
    qdri_port_init(&port);
    port.sharing = 4;
    qdri_port_enter(&port, 1);
    qdri_port_told(&port, found, 1);
    qdri_port_set_part(&port, 0.5);
    assert_int_equal((int64_t)port.window, 20000);
    assert_int_equal(qdri_port_tell(&port).window, 10000);
    assert_int_equal(qdri_port_tell(&port).best, 1000000);
    qdri_port_told(&port, lost, 2);
    assert_int_equal((int64_t)port.window, 16000);
    assert_int_equal(qdri_port_tell(&port).ceiling, 8000);
    qdri_port_set_part(&port, 1);
    assert_int_equal((int64_t)port.window, 32000);
    qdri_port_leave(&port, 3);
    assert_int_equal((int64_t)port.window, 8000);
    assert_int_equal(qdri_port_tell(&port).window, 8000);
}

/* What these two tell each other goes as notes do, which lose less than a thousandth. */
static void tell_each_other(qdri_port *one, qdri_port *other, double now) {
    qdri_port_word word = qdri_port_tell(one);
    word.window = qdri_note_about(word.window);
    word.ceiling = qdri_note_about(word.ceiling);
    word.best = qdri_note_about(word.best);
    qdri_port_told(other, word, now);
}

static double fair_ceiling(const qdri_port *port) {
    return port->ceiling / (port->part * port->sharing);
}

/* Ranks of two hosts tell each other thousands of times what was too much, while their parts of the ports change: that does not wear
 * it down. And none of them keeps the others from coming back. */
static void comes_back_in_company(void **state) {
    enum { RANKS = 4, WORDS = 5000, LAST = 12 };
    const qdri_port_word found = {.window = 40000, .best = 1500000};
    qdri_random random = qdri_random_seed(7);
    (void)state;
    for (int sharing = 1; sharing <= 4; sharing += 3) {
        qdri_port port[RANKS];
        double now = 1;
        for (int i = 0; i < RANKS; i++) {
            port[i] = (qdri_port){.owners = 1};
            qdri_port_init(&port[i]);
            port[i].sharing = sharing;
            qdri_port_enter(&port[i], now);
            qdri_port_told(&port[i], found, now);
            port[i].rate = port[i].best;
            qdri_port_leave(&port[i], now);
        }
        for (int exchange = 0; exchange <= LAST; exchange++) {
            now += 1;
            for (int i = 0; i < RANKS; i++) qdri_port_enter(&port[i], now);
            if (exchange == 0) qdri_port_arrived(&port[0], 1400, 1, 0, now + 0.1);
            if (exchange == 1) qdri_port_arrived(&port[1], 1400, 1, 0, now + 0.1);
            for (int word = 0; word < WORDS; word++) {
                int from = (int)qdri_random_below(&random, RANKS),
                    to = (int)qdri_random_below(&random, RANKS);
                if (sharing > 1 && word % 7 == 0)
                    qdri_port_set_part(&port[to], 0.05 + 0.9 * qdri_random_real(&random));
                tell_each_other(&port[from], &port[to], now + 0.2);
            }
            for (int i = 0; i < RANKS && exchange == 1; i++)
                assert_in_range((int64_t)fair_ceiling(&port[i]), 9800, 10000);
            for (int i = 0; i < RANKS && exchange == LAST; i++)
                assert_in_range((int64_t)fair_ceiling(&port[i]), 15000, 16400);
            for (int i = 0; i < RANKS; i++) qdri_port_leave(&port[i], now + 0.3);
        }
    }
}

/* What one rank had alone for a while is not what all four have at once. */
static void takes_no_part_for_a_quarter(void **state) {
    const qdri_port_word found = {.window = 10000, .best = 1000000};
    qdri_port port = {.owners = 1};
    (void)state;
    qdri_port_init(&port);
    port.sharing = 4;
    qdri_port_set_latency(&port, 0.002);
    qdri_port_enter(&port, 1);
    qdri_port_told(&port, found, 1);
    qdri_port_set_part(&port, 1);
    qdri_port_arrived(&port, 80000, 0, 0, 1.02); /* the whole port has four times what a quarter has */
    qdri_port_leave(&port, 1.02);
    assert_in_range((int64_t)port.rate, 900000, 1100000);
}

/* Of an exchange of a second, on a short wire and on a long one, where rumours are older. */
static void holds_back_who_is_surely_ahead(void **state) {
    (void)state;
    assert_true(qdri_window_kept(-0.5, 1, 0.0002) == 1);
    assert_true(qdri_window_kept(0.02, 1, 0.0002) < 0.7);
    assert_true(qdri_window_kept(0.06, 1, 0.0002) < 0);
    assert_true(qdri_window_kept(0.1, 1, 0.02) == 1);
    assert_true(qdri_window_kept(0.4, 1, 0.02) < 0.6);
    assert_true(qdri_window_kept(0.6, 1, 0.02) < 0);
}

/* Ranks that have a long wire together have half as much again under way; on a short one nothing changes. */
static void has_more_on_long_wires_that_are_shared(void **state) {
    (void)state;
    assert_true(qdri_window_for(1, 1e6, 0.001, 1, 1) == qdri_window_for(1, 1e6, 0.001, 1, 0));
    double alone = qdri_window_for(1, 1e6, 0.05, 1, 0), shared = qdri_window_for(1, 1e6, 0.05, 1, 1);
    assert_true(shared > 1.3 * alone && shared < 1.5 * alone);
}

/* A tenth of a second passes in which nobody looks: what lies there then, and comes at once, is no measure of the wire. */
static void measures_nothing_while_away(void **state) {
    qdri_port port = {.owners = 1};
    double now = 1;
    (void)state;
    qdri_port_init(&port);
    qdri_port_set_latency(&port, 0.001);
    qdri_port_enter(&port, now);
    for (int i = 0; i < 200; i++) qdri_port_arrived(&port, 4000, 0, 0, now += 0.001);
    double rate = port.rate, window = port.window;
    assert_in_range((int64_t)rate, 3900000, 4100000);
    now += 0.1;
    qdri_port_returned(&port, now);
    for (int i = 0; i < 15; i++) qdri_port_arrived(&port, 4000, 0, 0, now += 0.00001);
    assert_true(port.rate == rate && port.window == window);
    for (int i = 0; i < 200; i++) {
        qdri_port_returned(&port, now - 0.2); /* that was before */
        qdri_port_arrived(&port, 4000, 0, 0, now += 0.001);
    }
    assert_in_range((int64_t)port.rate, 3900000, 4100000);
}

/* On a quick network whole transfers come uninvited, however little of the port one of many ranks has; but few of them ahead. Where
 * answers take longer, and where nobody knows how long, the window counts. */
static void keeps_step_on_quick_networks(void **state) {
    (void)state;
    assert_true(qdri_window_is_quick(5e-6) && !qdri_window_is_quick(5e-5) && !qdri_window_is_quick(0));
    assert_int_equal(qdri_window_open(1000, 5e-6), 1 << 20);
    assert_int_equal(qdri_window_open(2000000, 5e-6), 2000000);
    assert_int_equal(qdri_window_open(1000, 5e-5), 1000);
    assert_int_equal(qdri_window_open(1000, 0), 1000);
    assert_true(qdri_window_ahead(1000, 5e-6) == 512 << 10);
    assert_true(qdri_window_ahead(1000, 5e-5) == 600);
    assert_int_equal(qdri_window_step(1000000, 1e9, 5e-6, 4096), 4096 + 5000 + 1);
    assert_int_equal(qdri_window_step(60000, 1e6, 5e-5, 4096), 20000);
    assert_int_equal(qdri_window_step(60000, 1e9, 5e-5, 4096), 20000 + 4096);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_itself),
                                       cmocka_unit_test(fills_long_wires),
                                       cmocka_unit_test(comes_back_after_a_loss),
                                       cmocka_unit_test(comes_back_in_company),
                                       cmocka_unit_test(spares_grants_on_long_wires),
                                       cmocka_unit_test(has_a_part_of_the_port),
                                       cmocka_unit_test(holds_back_who_is_surely_ahead),
                                       cmocka_unit_test(has_more_on_long_wires_that_are_shared),
                                       cmocka_unit_test(measures_nothing_while_away),
                                       cmocka_unit_test(keeps_step_on_quick_networks),
                                       cmocka_unit_test(takes_no_part_for_a_quarter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
