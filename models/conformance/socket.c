/* Allocation of a socket and sending by it, in the manner of Linux's sock_alloc and sock_sendmsg. */

enum { STREAM = 1, DATAGRAM = 2, RAW = 3, PACKET = 10 };
enum { EINVAL = 22, ENFILE = 23, EAFNOSUPPORT = 97 };

int check_permission(int type);
int allocate_inode(void);
void free_inode(void);
int create_family(int family, int type);
void count_socket(void);
int allow(int size);
int transmit(int size);

int sock_alloc(int family, int type)
{
    int error;
    if (family < 0 || family >= 32)
        return -EAFNOSUPPORT;
    if (type < 0 || type > PACKET)
        return -EINVAL;
    if (type == RAW && !check_permission(type))
        return -EINVAL;
    if (!allocate_inode())
        return -ENFILE;
    error = create_family(family, type);
    if (error < 0) {
        free_inode();
        return error;
    }
    count_socket();
    return 1;
}

int sock_sendmsg(int size, int flags)
{
    int sent = 0;
    int error = allow(size);
    if (error)
        return error;
    while (sent < size) {
        error = transmit(size - sent);
        if (error < 0)
            return error;
        sent += error;
        if (flags)
            break;
    }
    return sent;
}
