/* Functions of the C library and gcc's builtin functions, as far as C itself can say what they do.

   A function that a program uses and gives no body has the one that stands here, if there is one. Names here are not
   those of the program: nothing here calls what a program has defined. What the standard leaves undefined is undefined
   here, too: by itself, where memory is read or written, or by `__builtin_unreachable`. */

typedef __typeof__(sizeof 0) size_t;

/* What the standard leaves open: any number for a proof, and zero in a run. */
int __cubist_unspecified(void);

/* Any number with the sign of a difference. */
int __cubist_sign(int difference) {
    int any;
    if (difference == 0)
        return 0;
    any = __cubist_unspecified();
    if (difference < 0)
        return any < 0 ? any : -1;
    return any > 0 ? any : 1;
}

/* Any number that is true, or zero. */
int __cubist_truth(int holds) {
    int any;
    if (!holds)
        return 0;
    any = __cubist_unspecified();
    return any != 0 ? any : 1;
}

/* string.h */

size_t strlen(const char *string) {
    size_t length = 0;
    while (string[length] != 0)
        length++;
    return length;
}

size_t strnlen(const char *string, size_t most) {
    size_t length = 0;
    while (length < most && string[length] != 0)
        length++;
    return length;
}

char *strcpy(char *target, const char *source) {
    size_t i = 0;
    while (source[i] != 0) {
        target[i] = source[i];
        i++;
    }
    target[i] = 0;
    return target;
}

char *strncpy(char *target, const char *source, size_t count) {
    size_t i = 0;
    while (i < count && source[i] != 0) {
        target[i] = source[i];
        i++;
    }
    while (i < count) {
        target[i] = 0;
        i++;
    }
    return target;
}

char *strcat(char *target, const char *source) {
    size_t end = 0, i = 0;
    while (target[end] != 0)
        end++;
    while (source[i] != 0) {
        target[end + i] = source[i];
        i++;
    }
    target[end + i] = 0;
    return target;
}

char *strncat(char *target, const char *source, size_t most) {
    size_t end = 0, i = 0;
    while (target[end] != 0)
        end++;
    while (i < most && source[i] != 0) {
        target[end + i] = source[i];
        i++;
    }
    target[end + i] = 0;
    return target;
}

/* Characters are compared as `unsigned char`, and only the sign of the result is specified. */

int strcmp(const char *left, const char *right) {
    size_t i = 0;
    while (left[i] != 0 && left[i] == right[i])
        i++;
    return __cubist_sign((unsigned char)left[i] - (unsigned char)right[i]);
}

int strncmp(const char *left, const char *right, size_t most) {
    size_t i = 0;
    while (i < most && left[i] != 0 && left[i] == right[i])
        i++;
    if (i == most)
        return 0;
    return __cubist_sign((unsigned char)left[i] - (unsigned char)right[i]);
}

/* All of the bytes have to be there, also behind the first difference. */
int memcmp(const void *left, const void *right, size_t count) {
    const unsigned char *a = left, *b = right;
    int difference = 0;
    size_t i;
    for (i = 0; i < count; i++) {
        int here = a[i] - b[i];
        if (difference == 0)
            difference = here;
    }
    return __cubist_sign(difference);
}

size_t strspn(const char *string, const char *accepted) {
    size_t i = 0;
    while (string[i] != 0) {
        size_t k = 0;
        while (accepted[k] != 0 && accepted[k] != string[i])
            k++;
        if (accepted[k] == 0)
            return i;
        i++;
    }
    return i;
}

size_t strcspn(const char *string, const char *refused) {
    size_t i = 0;
    while (string[i] != 0) {
        size_t k = 0;
        while (refused[k] != 0 && refused[k] != string[i])
            k++;
        if (refused[k] != 0)
            return i;
        i++;
    }
    return i;
}

char *strpbrk(const char *string, const char *wanted) {
    size_t i = 0;
    while (string[i] != 0) {
        size_t k = 0;
        while (wanted[k] != 0 && wanted[k] != string[i])
            k++;
        if (wanted[k] != 0)
            return (char *)string + i;
        i++;
    }
    return 0;
}

char *strstr(const char *string, const char *part) {
    size_t i = 0;
    while (1) {
        size_t k = 0;
        while (part[k] != 0 && string[i + k] == part[k])
            k++;
        if (part[k] == 0)
            return (char *)string + i;
        if (string[i + k] == 0)
            return 0;
        i++;
    }
}

char *strchr(const char *string, int character) {
    char wanted = character;
    size_t i = 0;
    while (string[i] != wanted) {
        if (string[i] == 0)
            return 0;
        i++;
    }
    return (char *)string + i;
}

char *strrchr(const char *string, int character) {
    char wanted = character;
    char *last = 0;
    size_t i = 0;
    while (string[i] != 0) {
        if (string[i] == wanted)
            last = (char *)string + i;
        i++;
    }
    return wanted == 0 ? (char *)string + i : last;
}

void *memchr(const void *memory, int byte, size_t count) {
    const unsigned char *bytes = memory;
    unsigned char wanted = byte;
    size_t i;
    for (i = 0; i < count; i++)
        if (bytes[i] == wanted)
            return (unsigned char *)bytes + i;
    return 0;
}

/* ctype.h, in the locale "C". An argument is an `unsigned char` or EOF, and which number says yes is not specified. */

void __cubist_character(int c) {
    if (c < -1 || c > 255)
        __builtin_unreachable();
}

int isupper(int c) {
    __cubist_character(c);
    return __cubist_truth(c >= 'A' && c <= 'Z');
}

int islower(int c) {
    __cubist_character(c);
    return __cubist_truth(c >= 'a' && c <= 'z');
}

int isalpha(int c) {
    __cubist_character(c);
    return __cubist_truth(c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z');
}

int isdigit(int c) {
    __cubist_character(c);
    return __cubist_truth(c >= '0' && c <= '9');
}

int isxdigit(int c) {
    __cubist_character(c);
    return __cubist_truth(c >= '0' && c <= '9' || c >= 'A' && c <= 'F' || c >= 'a' && c <= 'f');
}

int isalnum(int c) {
    __cubist_character(c);
    return __cubist_truth(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z');
}

int isspace(int c) {
    __cubist_character(c);
    return __cubist_truth(c == ' ' || c >= '\t' && c <= '\r');
}

int isblank(int c) {
    __cubist_character(c);
    return __cubist_truth(c == ' ' || c == '\t');
}

int iscntrl(int c) {
    __cubist_character(c);
    return __cubist_truth(c >= 0 && c < ' ' || c == 127);
}

int isprint(int c) {
    __cubist_character(c);
    return __cubist_truth(c >= ' ' && c < 127);
}

int isgraph(int c) {
    __cubist_character(c);
    return __cubist_truth(c > ' ' && c < 127);
}

int ispunct(int c) {
    __cubist_character(c);
    return __cubist_truth(c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~');
}

int toupper(int c) {
    __cubist_character(c);
    return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

int tolower(int c) {
    __cubist_character(c);
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* stdlib.h */

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }

/* Undefined where the number is no `int`. */
int atoi(const char *string) {
    long long value = 0;
    int is_negative = 0;
    size_t i = 0;
    while (string[i] == ' ' || string[i] >= '\t' && string[i] <= '\r')
        i++;
    if (string[i] == '-' || string[i] == '+') {
        is_negative = string[i] == '-';
        i++;
    }
    while (string[i] >= '0' && string[i] <= '9') {
        value = value * 10 + (string[i] - '0');
        if (value > 2147483647LL + is_negative)
            __builtin_unreachable();
        i++;
    }
    return is_negative ? -value : value;
}

/* gcc's own */

int __builtin_popcountll(unsigned long long x) {
    int count = 0;
    while (x != 0) {
        x &= x - 1;
        count++;
    }
    return count;
}

int __builtin_popcountl(unsigned long x) { return __builtin_popcountll(x); }
int __builtin_popcount(unsigned int x) { return __builtin_popcountll(x); }
int __builtin_parityll(unsigned long long x) { return __builtin_popcountll(x) & 1; }
int __builtin_parityl(unsigned long x) { return __builtin_popcountll(x) & 1; }
int __builtin_parity(unsigned int x) { return __builtin_popcountll(x) & 1; }

int __builtin_ctzll(unsigned long long x) {
    int count = 0;
    if (x == 0)
        __builtin_unreachable();
    while ((x & 1) == 0) {
        x >>= 1;
        count++;
    }
    return count;
}

int __builtin_ctzl(unsigned long x) { return __builtin_ctzll(x); }
int __builtin_ctz(unsigned int x) { return __builtin_ctzll(x); }
int __builtin_ffsll(long long x) { return x == 0 ? 0 : __builtin_ctzll(x) + 1; }
int __builtin_ffsl(long x) { return x == 0 ? 0 : __builtin_ctzll(x) + 1; }
int __builtin_ffs(int x) { return x == 0 ? 0 : __builtin_ctzll(x) + 1; }

int __builtin_clzll(unsigned long long x) {
    int count = 63;
    if (x == 0)
        __builtin_unreachable();
    while (x >>= 1)
        count--;
    return count;
}

int __builtin_clzl(unsigned long x) { return __builtin_clzll(x) - (64 - 8 * (int)sizeof x); }
int __builtin_clz(unsigned int x) { return __builtin_clzll(x) - 32; }

unsigned short __builtin_bswap16(unsigned short x) { return x << 8 | x >> 8; }

unsigned int __builtin_bswap32(unsigned int x) {
    return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

unsigned long long __builtin_bswap64(unsigned long long x) {
    return (unsigned long long)__builtin_bswap32(x) << 32 | __builtin_bswap32(x >> 32);
}
