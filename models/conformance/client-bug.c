/* As client.c, where a wrong end of the server does no harm. The client of a handshake like that of SSL 3.0: a state machine in a loop. */

#include "handshake.h"

enum state {
    ST_BEFORE = 0x1000,
    ST_CONNECT = 0x1001,
    ST_CLIENT_HELLO_A = 0x1110,
    ST_CLIENT_HELLO_B = 0x1111,
    ST_SERVER_HELLO_A = 0x1120,
    ST_SERVER_HELLO_B = 0x1121,
    ST_CERTIFICATE_A = 0x1130,
    ST_CERTIFICATE_B = 0x1131,
    ST_KEY_EXCHANGE_A = 0x1140,
    ST_KEY_EXCHANGE_B = 0x1141,
    ST_CERTIFICATE_REQUEST_A = 0x1150,
    ST_CERTIFICATE_REQUEST_B = 0x1151,
    ST_SERVER_DONE_A = 0x1160,
    ST_SERVER_DONE_B = 0x1161,
    ST_CLIENT_CERTIFICATE_A = 0x1170,
    ST_CLIENT_CERTIFICATE_B = 0x1171,
    ST_CLIENT_KEY_A = 0x1180,
    ST_CLIENT_KEY_B = 0x1181,
    ST_CERTIFICATE_VERIFY_A = 0x1190,
    ST_CERTIFICATE_VERIFY_B = 0x1191,
    ST_CHANGE_A = 0x11a0,
    ST_CHANGE_B = 0x11a1,
    ST_FINISHED_OUT_A = 0x11b0,
    ST_FINISHED_OUT_B = 0x11b1,
    ST_FLUSH = 0x1100,
    ST_FINISHED_IN_A = 0x11d0,
    ST_FINISHED_IN_B = 0x11d1,
    ST_OK = 0x3,
};

enum { VERSION_2 = 2, VERSION_3 = 3 };
enum { READING = 1, WRITING = 2, NOTHING = 3 };

/* Sends a message: nonzero where it went out, and negative where the connection is broken. */
int send_message(int message);

/* Receives this message: its kind, or negative where something else came or the connection is broken. */
int receive_message(int message);

/* Receives a key exchange, a request of a certificate, or that the server is done: its kind, or negative. */
int receive_next(void);

/* Of the configuration. */
int has_session(void);
int speaks_version_3(void);
int has_own_certificate(void);

/* Whether the server goes on with the session that was offered. */
int session_accepted(void);

/* Whether a certificate, or what was finished, is right. */
int is_valid(void);

void connected(void);

struct connection {
    int state;
    int next_state;
    int version;
    int hit;
    int offered;
    int rwstate;
    int messages;
    int waiting;
};

static int put(struct connection *s, int message)
{
    int sent = send_message(message);
    if (sent <= 0)
        return -1;
    s->messages++;
    return 1;
}

static int get(struct connection *s, int message)
{
    int received = receive_message(message);
    if (received != message)
        return -1;
    s->messages++;
    return 1;
}

/* Looks at the next message without taking it, unless it has been looked at. */
static int look(struct connection *s)
{
    if (s->waiting)
        return s->waiting;
    s->waiting = receive_next();
    if (s->waiting < 0) {
        s->waiting = 0;
        return -1;
    }
    s->messages++;
    return s->waiting;
}

int client(int resume)
{
    struct connection s;
    int ret = FAILED;
    int skip;
    int certificate_requested = 0;
    int next;

    s.state = ST_BEFORE;
    s.next_state = ST_OK;
    s.version = VERSION_3;
    s.hit = 0;
    s.offered = 0;
    s.rwstate = NOTHING;
    s.messages = 0;
    s.waiting = 0;

    for (;;) {
        skip = 0;
        switch (s.state) {
        case ST_BEFORE:
        case ST_CONNECT:
            if (!speaks_version_3())
                s.version = VERSION_2;
            if (resume && s.version == VERSION_3)
                s.offered = has_session();
            s.state = ST_CLIENT_HELLO_A;
            break;

        case ST_CLIENT_HELLO_A:
        case ST_CLIENT_HELLO_B:
            s.rwstate = WRITING;
            if (put(&s, CLIENT_HELLO) <= 0) {
                ret = FAILED;
                goto end;
            }
            s.state = ST_SERVER_HELLO_A;
            break;

        case ST_SERVER_HELLO_A:
        case ST_SERVER_HELLO_B:
            s.rwstate = READING;
            if (get(&s, SERVER_HELLO) <= 0) {
                ret = FAILED;
                goto end;
            }
            if (s.offered && session_accepted())
                s.hit = 1;
            if (s.hit)
                s.state = ST_FINISHED_IN_A;
            else
                s.state = ST_CERTIFICATE_A;
            break;

        case ST_CERTIFICATE_A:
        case ST_CERTIFICATE_B:
            s.rwstate = READING;
            if (get(&s, CERTIFICATE) <= 0) {
                ret = FAILED;
                goto end;
            }
            if (!is_valid()) {
                ret = FAILED;
                goto end;
            }
            s.state = ST_KEY_EXCHANGE_A;
            break;

        case ST_KEY_EXCHANGE_A:
        case ST_KEY_EXCHANGE_B:
            if (s.version == VERSION_3) {
                next = look(&s);
                if (next < 0) {
                    ret = FAILED;
                    goto end;
                }
                if (next == KEY_EXCHANGE)
                    s.waiting = 0;
                else
                    skip = 1;
            } else {
                skip = 1;
            }
            s.state = ST_CERTIFICATE_REQUEST_A;
            break;

        case ST_CERTIFICATE_REQUEST_A:
        case ST_CERTIFICATE_REQUEST_B:
            next = look(&s);
            if (next < 0) {
                ret = FAILED;
                goto end;
            }
            if (next == CERTIFICATE_REQUEST) {
                s.waiting = 0;
                certificate_requested = 1;
            } else if (next == SERVER_DONE) {
                skip = 1;
            } else {
                ret = FAILED;
                goto end;
            }
            s.state = ST_SERVER_DONE_A;
            break;

        case ST_SERVER_DONE_A:
        case ST_SERVER_DONE_B:
            s.rwstate = READING;
            if (s.waiting == SERVER_DONE) {
                s.waiting = 0;
            } else if (get(&s, SERVER_DONE) <= 0) {
                ret = FAILED;
                goto end;
            }
            if (certificate_requested)
                s.state = ST_CLIENT_CERTIFICATE_A;
            else
                s.state = ST_CLIENT_KEY_A;
            break;

        case ST_CLIENT_CERTIFICATE_A:
        case ST_CLIENT_CERTIFICATE_B:
            s.rwstate = WRITING;
            if (put(&s, CLIENT_CERTIFICATE) <= 0) {
                ret = FAILED;
                goto end;
            }
            if (!has_own_certificate())
                certificate_requested = 0;
            s.state = ST_CLIENT_KEY_A;
            break;

        case ST_CLIENT_KEY_A:
        case ST_CLIENT_KEY_B:
            s.rwstate = WRITING;
            if (put(&s, CLIENT_KEY) <= 0) {
                ret = FAILED;
                goto end;
            }
            if (certificate_requested)
                s.state = ST_CERTIFICATE_VERIFY_A;
            else
                s.state = ST_CHANGE_A;
            break;

        case ST_CERTIFICATE_VERIFY_A:
        case ST_CERTIFICATE_VERIFY_B:
            if (put(&s, CERTIFICATE_VERIFY) <= 0) {
                ret = FAILED;
                goto end;
            }
            s.state = ST_CHANGE_A;
            break;

        case ST_CHANGE_A:
        case ST_CHANGE_B:
            s.rwstate = WRITING;
            if (put(&s, CLIENT_CHANGE) <= 0) {
                ret = FAILED;
                goto end;
            }
            s.state = ST_FINISHED_OUT_A;
            break;

        case ST_FINISHED_OUT_A:
        case ST_FINISHED_OUT_B:
            if (put(&s, CLIENT_FINISHED) <= 0) {
                ret = FAILED;
                goto end;
            }
            if (s.hit)
                s.next_state = ST_OK;
            else
                s.next_state = ST_FINISHED_IN_A;
            s.state = ST_FLUSH;
            break;

        case ST_FLUSH:
            s.rwstate = NOTHING;
            s.state = s.next_state;
            break;

        case ST_FINISHED_IN_A:
        case ST_FINISHED_IN_B:
            s.rwstate = READING;
            if (get(&s, SERVER_CHANGE) <= 0) {
                ret = FAILED;
                goto end;
            }
            if (get(&s, SERVER_FINISHED) <= 0) {
                ret = FAILED;
                goto end;
            }
            if (!is_valid()) {
                ret = ACCEPTED;
                goto end;
            }
            if (s.hit)
                s.state = ST_CHANGE_A;
            else
                s.state = ST_OK;
            break;

        case ST_OK:
            connected();
            s.rwstate = NOTHING;
            ret = ACCEPTED;
            goto end;

        default:
            ret = FAILED;
            goto end;
        }
        if (!skip)
            s.rwstate = NOTHING;
    }
end:
    return ret;
}
