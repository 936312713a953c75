/* The server of a handshake like that of SSL 3.0: a state machine in a loop. */

#include "handshake.h"

enum state {
    ST_BEFORE = 0x2000,
    ST_ACCEPT = 0x2001,
    ST_HELLO_REQUEST_A = 0x2120,
    ST_HELLO_REQUEST_B = 0x2121,
    ST_CLIENT_HELLO_A = 0x2110,
    ST_CLIENT_HELLO_B = 0x2111,
    ST_SERVER_HELLO_A = 0x2130,
    ST_SERVER_HELLO_B = 0x2131,
    ST_CERTIFICATE_A = 0x2140,
    ST_CERTIFICATE_B = 0x2141,
    ST_KEY_EXCHANGE_A = 0x2150,
    ST_KEY_EXCHANGE_B = 0x2151,
    ST_CERTIFICATE_REQUEST_A = 0x2160,
    ST_CERTIFICATE_REQUEST_B = 0x2161,
    ST_SERVER_DONE_A = 0x2170,
    ST_SERVER_DONE_B = 0x2171,
    ST_FLUSH = 0x2100,
    ST_CLIENT_CERTIFICATE_A = 0x2180,
    ST_CLIENT_CERTIFICATE_B = 0x2181,
    ST_CLIENT_KEY_A = 0x2190,
    ST_CLIENT_KEY_B = 0x2191,
    ST_CERTIFICATE_VERIFY_A = 0x21a0,
    ST_CERTIFICATE_VERIFY_B = 0x21a1,
    ST_CHANGE_A = 0x21c0,
    ST_CHANGE_B = 0x21c1,
    ST_FINISHED_IN_A = 0x21e0,
    ST_FINISHED_IN_B = 0x21e1,
    ST_FINISHED_OUT_A = 0x21d0,
    ST_FINISHED_OUT_B = 0x21d1,
    ST_OK = 0x3,
};

enum { VERSION_2 = 2, VERSION_3 = 3 };
enum { READING = 1, WRITING = 2, NOTHING = 3 };

/* Sends a message: nonzero where it went out, and negative where the connection is broken. */
int send_message(int message);

/* Receives this message: its kind, or negative where something else came or the connection is broken. */
int receive_message(int message);

/* What the first message of the client asks for: a session that is known, and a version. */
int known_session(void);
int version_of_hello(void);

/* Of the configuration. */
int has_certificate(void);
int needs_key_exchange(void);
int wants_client_certificate(void);

/* Whether the client has sent a certificate. */
int peer_has_certificate(void);

/* Whether what was signed or finished is right. */
int is_valid(void);

void renegotiated(void);
void accepted(void);

struct connection {
    int state;
    int next_state;
    int version;
    int reused;
    int renegotiating;
    int rwstate;
    int messages;
};

static int send_hello_request(struct connection *s)
{
    int sent = send_message(HELLO_REQUEST);
    if (sent <= 0)
        return sent;
    s->messages++;
    return 1;
}

static int get_client_hello(struct connection *s)
{
    int received = receive_message(CLIENT_HELLO);
    if (received != CLIENT_HELLO)
        return -1;
    s->version = version_of_hello();
    if (s->version != VERSION_3 && s->version != VERSION_2)
        return -1;
    /* An old client has no session to be known by. */
    if (s->version == VERSION_2)
        s->reused = 0;
    else
        s->reused = known_session();
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

static int put(struct connection *s, int message)
{
    int sent = send_message(message);
    if (sent <= 0)
        return -1;
    s->messages++;
    return 1;
}

int server(int renegotiate)
{
    struct connection s;
    int ret = FAILED;
    int skip;
    int verified = 0;

    s.state = renegotiate ? ST_HELLO_REQUEST_A : ST_BEFORE;
    s.next_state = ST_OK;
    s.version = VERSION_3;
    s.reused = 0;
    s.renegotiating = renegotiate;
    s.rwstate = NOTHING;
    s.messages = 0;

    for (;;) {
        skip = 0;
        switch (s.state) {
        case ST_BEFORE:
        case ST_ACCEPT:
            s.rwstate = READING;
            s.state = ST_CLIENT_HELLO_A;
            break;

        case ST_HELLO_REQUEST_A:
        case ST_HELLO_REQUEST_B:
            if (send_hello_request(&s) <= 0) {
                ret = FAILED;
                goto end;
            }
            s.next_state = ST_CLIENT_HELLO_A;
            s.state = ST_FLUSH;
            break;

        case ST_CLIENT_HELLO_A:
        case ST_CLIENT_HELLO_B:
            s.rwstate = READING;
            if (get_client_hello(&s) <= 0) {
                ret = FAILED;
                goto end;
            }
            s.state = ST_SERVER_HELLO_A;
            break;

        case ST_SERVER_HELLO_A:
        case ST_SERVER_HELLO_B:
            s.rwstate = WRITING;
            if (put(&s, SERVER_HELLO) <= 0) {
                ret = FAILED;
                goto end;
            }
            if (s.reused)
                s.state = ST_CHANGE_A;
            else
                s.state = ST_CERTIFICATE_A;
            break;

        case ST_CERTIFICATE_A:
        case ST_CERTIFICATE_B:
            if (has_certificate()) {
                if (put(&s, CERTIFICATE) <= 0) {
                    ret = FAILED;
                    goto end;
                }
            } else {
                skip = 1;
            }
            s.state = ST_KEY_EXCHANGE_A;
            break;

        case ST_KEY_EXCHANGE_A:
        case ST_KEY_EXCHANGE_B:
            if (s.version == VERSION_3 && needs_key_exchange()) {
                if (put(&s, KEY_EXCHANGE) <= 0) {
                    ret = FAILED;
                    goto end;
                }
            } else {
                skip = 1;
            }
            s.state = ST_CERTIFICATE_REQUEST_A;
            break;

        case ST_CERTIFICATE_REQUEST_A:
        case ST_CERTIFICATE_REQUEST_B:
            if (s.version == VERSION_2 || !wants_client_certificate()) {
                skip = 1;
                verified = 1;
            } else {
                if (put(&s, CERTIFICATE_REQUEST) <= 0) {
                    ret = FAILED;
                    goto end;
                }
                verified = 0;
            }
            s.state = ST_SERVER_DONE_A;
            break;

        case ST_SERVER_DONE_A:
        case ST_SERVER_DONE_B:
            if (put(&s, SERVER_DONE) <= 0) {
                ret = FAILED;
                goto end;
            }
            if (verified)
                s.next_state = ST_CLIENT_KEY_A;
            else
                s.next_state = ST_CLIENT_CERTIFICATE_A;
            s.state = ST_FLUSH;
            break;

        case ST_FLUSH:
            s.rwstate = NOTHING;
            s.state = s.next_state;
            break;

        case ST_CLIENT_CERTIFICATE_A:
        case ST_CLIENT_CERTIFICATE_B:
            s.rwstate = READING;
            if (get(&s, CLIENT_CERTIFICATE) <= 0) {
                ret = FAILED;
                goto end;
            }
            s.state = ST_CLIENT_KEY_A;
            break;

        case ST_CLIENT_KEY_A:
        case ST_CLIENT_KEY_B:
            s.rwstate = READING;
            if (get(&s, CLIENT_KEY) <= 0) {
                ret = FAILED;
                goto end;
            }
            s.state = ST_CERTIFICATE_VERIFY_A;
            break;

        case ST_CERTIFICATE_VERIFY_A:
        case ST_CERTIFICATE_VERIFY_B:
            if (!verified && peer_has_certificate()) {
                if (get(&s, CERTIFICATE_VERIFY) <= 0) {
                    ret = FAILED;
                    goto end;
                }
                if (!is_valid()) {
                    ret = FAILED;
                    goto end;
                }
                verified = 1;
            } else {
                skip = 1;
            }
            s.state = ST_FINISHED_IN_A;
            break;

        case ST_FINISHED_IN_A:
        case ST_FINISHED_IN_B:
            s.rwstate = READING;
            if (get(&s, CLIENT_CHANGE) <= 0) {
                ret = FAILED;
                goto end;
            }
            if (get(&s, CLIENT_FINISHED) <= 0) {
                ret = FAILED;
                goto end;
            }
            if (!is_valid()) {
                ret = FAILED;
                goto end;
            }
            if (s.reused)
                s.state = ST_OK;
            else
                s.state = ST_CHANGE_A;
            break;

        case ST_CHANGE_A:
        case ST_CHANGE_B:
            s.rwstate = WRITING;
            if (put(&s, SERVER_CHANGE) <= 0) {
                ret = FAILED;
                goto end;
            }
            s.state = ST_FINISHED_OUT_A;
            break;

        case ST_FINISHED_OUT_A:
        case ST_FINISHED_OUT_B:
            if (put(&s, SERVER_FINISHED) <= 0) {
                ret = FAILED;
                goto end;
            }
            if (s.reused)
                s.next_state = ST_FINISHED_IN_A;
            else
                s.next_state = ST_OK;
            s.state = ST_FLUSH;
            break;

        case ST_OK:
            if (s.renegotiating)
                renegotiated();
            s.renegotiating = 0;
            s.rwstate = NOTHING;
            accepted();
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
