/* What the server and the client of the handshake share: messages, and how they are sent.
 *
 * A message is an action of both components: whoever sends it waits for the other one to receive it. In the manner of the
 * state machines of OpenSSL 0.9.6 (s3_srvr.c, s3_clnt.c), written for this project.
 */

enum {
    HELLO_REQUEST = 1,
    CLIENT_HELLO,
    SERVER_HELLO,
    CERTIFICATE,
    KEY_EXCHANGE,
    CERTIFICATE_REQUEST,
    SERVER_DONE,
    CLIENT_CERTIFICATE,
    CLIENT_KEY,
    CERTIFICATE_VERIFY,
    CLIENT_CHANGE,
    CLIENT_FINISHED,
    SERVER_CHANGE,
    SERVER_FINISHED,
};

/* What becomes of a connection. */
enum { FAILED = -1, ACCEPTED = 1 };
