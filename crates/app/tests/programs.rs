//! C programs: shown and explored, with rules. They need a C compiler for its preprocessor.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Folder, corpus, cubist, json};
use testing::{Outcome, tool};

const LOCK: &str = "programs/lock.c";
const LOCK_BUG: &str = "programs/lock-bug.c";
const RULE: &str = "rules/spin-lock.rule";

fn a_rule_that_is_broken_is_shown_line_by_line() -> Outcome {
    tool("cc", "--version")?;
    let run = cubist(&["explore", LOCK_BUG, "--rule", RULE]);
    assert_eq!(run.status, Some(10), "{run:?}");
    for expected in [
        "programs/lock-bug.c: a C program (LP64, as gcc -m64; undefined behaviour is a finding)",
        "locks are taken and given back in turn: the lock is never given back",
        "--> rules/spin-lock.rule:18",
        "-- size = 4097 (input: __VERIFIER_nondet_int)",
        "-- submit(&device, 4097)",
        "-- held = 1",
        "`spin_lock` has no body",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {run:?}");
    }
    assert!(!run.stdout.contains('$'), "names of the weaver: {run:?}");
    Ok(())
}

const RECORDS: &str = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct point { int x, y[2]; };
struct point turned(struct point p) { struct point q = { p.y[0], { p.x, 0 } }; return q; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  struct point a = { 1, { 2, 3 } };
  a = turned(a);
  a.y[1] = 7;
  if (n == 5) reach_error();
  return n + 1;
}
";

/// Of a record, the fields that have changed.
fn fields_are_shown() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("records");
    let program = folder.write("records.c", RECORDS);
    let run = cubist(&["explore", &program]);
    assert_eq!(run.status, Some(10), "{run:?}");
    for expected in [
        "a.x = 1, a.y[0] = 2, a.y[1] = 3",
        "a.x = 2, a.y[0] = 1, a.y[1] = 0",
        "-- a.y[1] = 7",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {run:?}");
    }
    Ok(())
}

/// Only what the file says is an error.
fn property_files() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("property");
    let program = folder.write("records.c", RECORDS);
    let calls = folder.write("calls.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    let overflow = folder.write("overflow.prp", "CHECK( init(main()), LTL(G ! overflow) )\n");
    let (status, report) = json(&["explore", &program, "--property", &calls, "--json"]);
    assert_eq!(
        (status, report["findings"].as_array().unwrap().len()),
        (Some(10), 0),
        "{report}"
    );
    let (status, report) = json(&["explore", &program, "--property", &overflow, "--json"]);
    assert_eq!(
        (status, &report["violation"]),
        (Some(10), &serde_json::Value::Null),
        "{report}"
    );
    assert_eq!(report["findings"][0]["message"], "signed overflow", "{report}");
    let run = cubist(&["show", &program, "--property", &overflow, "--undefined", "wrap"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    let wrong = folder.write("wrong.prp", "CHECK( init(main()), LTL(F end) )\n");
    let run = cubist(&["show", &program, "--property", &wrong]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("wrong.prp:1:26"), "{run:?}");
    Ok(())
}

/// As far as 2,000 runs tell.
fn a_rule_that_is_kept_is_not_reported() -> Outcome {
    tool("cc", "--version")?;
    let (status, report) = json(&["explore", LOCK, "--rule", RULE, "--simulate", "2000", "--json"]);
    assert_eq!(status, Some(20), "{report}");
    assert_eq!(report["verdict"], "unknown");
    assert_eq!(report["properties"].as_array().unwrap().len(), 3, "{report}");
    assert_eq!(report["data_model"], "lp64");
    Ok(())
}

/// Every rule that ships is read, with functions for its events.
fn the_rules_that_ship_can_be_read() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("rules");
    let program = folder.write("uses.c", USES);
    let mut count = 0;
    for entry in std::fs::read_dir(common::root().join("rules")).unwrap() {
        let path = entry.unwrap().path();
        let (status, report) = json(&["show", &program, "--rule", path.to_str().unwrap(), "--json"]);
        assert_eq!(status, Some(0), "{report}");
        assert_ne!(report["properties"].as_array().unwrap().len(), 0, "{}", path.display());
        let notes = report["diagnostics"].as_array().unwrap();
        assert!(notes.is_empty(), "{}: {notes:?}", path.display());
        count += 1;
    }
    assert_eq!(count, 10);
    Ok(())
}

/// Each with a program that breaks it.
fn the_rules_that_ship_find_what_they_are_for() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("rules-broken");
    for (rule, body, expected) in BROKEN {
        let text = format!("{USES}\nint main2(void) {{ {body} return 0; }}\n");
        let program = folder.write("broken.c", text);
        let rule = format!("rules/{rule}.rule");
        let run = |command| cubist(&[command, &program, "--rule", &rule, "--entry", "main2", "-q"]);
        let mut found = run("explore");
        // Runs do not try all that a function without a body may leave behind its arguments.
        if found.status == Some(20) {
            found = run("check");
        }
        assert_eq!(found.status, Some(10), "{rule}: {body}: {found:?}");
        assert!(found.stdout.contains(expected), "{rule}: {body}: {found:?}");
    }
    Ok(())
}

/// Each with programs that keep it, which were reported once.
fn the_rules_that_ship_report_nothing_else() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("rules-kept");
    for (rule, body) in KEPT {
        let text = format!("{USES}\nint main2(void) {{ {body} return 0; }}\n");
        let program = folder.write("kept.c", text);
        let rule = format!("rules/{rule}.rule");
        let options = ["--rule", &rule, "--entry", "main2", "-q"];
        let explored = cubist(&[&["explore", &program, "--simulate", "2000"], options.as_slice()].concat());
        // What frees memory of a function without a body is another finding.
        assert!(!explored.stdout.contains("Violation"), "{rule}: {body}: {explored:?}");
        let checked = cubist(&[&["check", &program, "--timeout", "20"], options.as_slice()].concat());
        assert_ne!(checked.status, Some(10), "{rule}: {body}: {checked:?}");
        for run in [explored, checked] {
            assert!(matches!(run.status, Some(0 | 10 | 20)), "{rule}: {body}: {run:?}");
        }
    }
    Ok(())
}

const KEPT: &[(&str, &str)] = &[
    ("spin-lock", "static lock_t a; if (spin_trylock(&a)) spin_unlock(&a);"),
    (
        "spin-lock",
        "static lock_t a, b; spin_lock_irq(&a); spin_lock(&b); spin_unlock(&b); spin_unlock_irq(&a);",
    ),
    ("memory", "void *m = calloc(1, 4); free(m); free(0);"),
    (
        "memory",
        "void *m = malloc(4); void *n = realloc(m, 8); if (!n) { free(m); return 1; } free(n);",
    ),
    ("memory", "void *m = realloc(0, 8); free(m);"),
    ("memory", "void *m = malloc(4); m = realloc(m, 0);"),
    (
        "memory",
        "void *p; for (int i = 0; i < 2; i++) { if (posix_memalign(&p, 16, 64)) return 1; free(p); }",
    ),
    (
        "memory",
        "char *s; if (asprintf(&s, \"%d\", 3) == -1) return 1; free(s);",
    ),
    (
        "memory",
        "char *s = strdup(\"a\"), *t = strdup(\"b\"); free(t); free(s); s = realpath(\"a\", 0); free(s);",
    ),
    (
        "memory",
        "char *s; for (int i = 0; i < 2; i++) { unsigned long n; s = 0; FILE *f = open_memstream(&s, &n); \
         if (!f) return 1; fclose(f); free(s); }",
    ),
    (
        "memory",
        "char *s = 0; unsigned long n = 0; getline(&s, &n, stdin); getline(&s, &n, stdin); free(s);",
    ),
    (
        "memory",
        "char *s = 0; unsigned long n = 0; getdelim(&s, &n, 58, stdin); free(s);",
    ),
    (
        "memory",
        "void *m = valloc(4); void *n = reallocarray(m, 2, 8); if (!n) { free(m); return 1; } free(n);",
    ),
    ("file-handle", "fclose(stdout); fclose(stdin);"),
    ("file-handle", "fclose(stdin); fputs(\"x\", stdout); fclose(stdout);"),
    (
        "file-handle",
        "if (!freopen(\"a\", \"r\", stdin)) return 1; fgetc(stdin);",
    ),
    (
        "file-handle",
        "for (int i = 0; i < 2; i++) { FILE *f = popen(\"a\", \"r\"); if (!f) return 1; fgetc(f); pclose(f); }",
    ),
    (
        "file-handle",
        "char t[4]; FILE *f = fmemopen(t, 4, \"r\"); if (!f) return 1; fclose(f); \
         char *s; unsigned long n; f = open_memstream(&s, &n); if (!f) return 1; fputs(\"x\", f); fclose(f);",
    ),
    ("unchecked-stream", "fputs(\"x\", stdout); fclose(stderr);"),
    (
        "mutex",
        "static lock_t m; if (pthread_mutex_trylock(&m) == 0) pthread_mutex_unlock(&m);",
    ),
    (
        "mutex",
        "static lock_t m; if (pthread_mutex_timedlock(&m, 0) == 0) pthread_mutex_unlock(&m);",
    ),
    (
        "mutex",
        "static lock_t m; if (pthread_mutex_lock(&m)) return 1; if (!pthread_mutex_trylock(&m)) return 1; \
         pthread_mutex_unlock(&m);",
    ),
    (
        "mutex",
        "static lock_t m; pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
    ),
    (
        "spin-lock",
        "static lock_t a; if (spin_trylock_irq(&a)) spin_unlock_irq(&a); if (spin_trylock_bh(&a)) spin_unlock_bh(&a);",
    ),
    (
        "spin-lock",
        "static lock_t a; unsigned long f; if (spin_trylock_irqsave(&a, &f)) spin_unlock_irqrestore(&a, f);",
    ),
    (
        "spin-lock",
        "static lock_t a; static int n; if (atomic_dec_and_lock(&n, &a)) spin_unlock(&a);",
    ),
    (
        "double-close",
        "int a = open(\"a\", 0); int b = fcntl(a, 0, 0); close(a); if (b >= 0) close(b);",
    ),
    (
        "double-close",
        "int a = open(\"a\", 0); close(a); int b = fcntl(1, 1030, 0); if (b >= 0) close(b);",
    ),
    (
        "double-close",
        "int a = open(\"a\", 0), b = open(\"b\", 0); close(b); close(a);",
    ),
    (
        "double-close",
        "int a = eventfd(0, 0); close(a); a = epoll_create(1); close(a); a = memfd_create(\"a\", 0); close(a); \
         a = inotify_init(); close(a); a = accept4(3, 0, 0, 0); close(a); a = dup3(1, 9, 0); close(a);",
    ),
    (
        "double-close",
        "int a = open(\"a\", 0); close(a); char t[1]; FILE *f = fopen(\"a\", \"r\"); if (f) read(fileno(f), t, 1);",
    ),
    (
        "reference-count",
        "static struct kref k; kref_init(&k); if (kref_get_unless_zero(&k)) kref_put(&k, 0); kref_put(&k, 0);",
    ),
];

/// What a rule is about and the program does not have is told in one line, at the end.
fn absent_functions_are_named_together() -> Outcome {
    tool("cc", "--version")?;
    let expected = "rules/spin-lock.rule is about `spin_trylock`, `spin_lock_irq`, `spin_unlock_irq`, \
                    `spin_lock_irqsave` and 10 others, which the program does not have\n";
    for command in [&["show"][..], &["check"], &["explore", "--simulate", "9"]] {
        let run = cubist(&[command, &[LOCK, "--rule", RULE]].concat());
        assert!(run.stdout.contains(expected) && run.stderr.is_empty(), "{run:?}");
    }
    let (_, report) = json(&["check", LOCK, "--rule", RULE, "--json"]);
    assert_eq!(report["diagnostics"].as_array().unwrap().len(), 14, "{report}");
    Ok(())
}

/// What the events of the rules are about, called once each where nothing is wrong.
const USES: &str = "
typedef struct file FILE;
typedef struct { int raw; } lock_t;
extern FILE *stdin, *stdout, *stderr;
FILE *fopen(const char *name, const char *mode);
FILE *fopen64(const char *name, const char *mode);
FILE *tmpfile64(void);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *stream);
FILE *fmemopen(void *memory, unsigned long size, const char *mode);
FILE *open_memstream(char **text, unsigned long *size);
FILE *open_wmemstream(int **text, unsigned long *size);
FILE *fopencookie(void *cookie, const char *mode, struct functions { void *read; } functions);
FILE *setmntent(const char *name, const char *mode);
int endmntent(FILE *stream);
int fcloseall(void);
FILE *freopen64(const char *name, const char *mode, FILE *stream);
int fgetc(FILE *stream);
int getc(FILE *stream);
int fputc(int character, FILE *stream);
int putc(int character, FILE *stream);
int fprintf(FILE *stream, const char *format, ...);
int fscanf(FILE *stream, const char *format, ...);
int fflush(FILE *stream);
int fseek(FILE *stream, long offset, int from);
long ftell(FILE *stream);
void rewind(FILE *stream);
int feof(FILE *stream);
int ferror(FILE *stream);
int fileno(FILE *stream);
FILE *freopen(const char *name, const char *mode, FILE *stream);
int fclose(FILE *stream);
unsigned long fread(void *to, unsigned long size, unsigned long count, FILE *stream);
unsigned long fwrite(const void *from, unsigned long size, unsigned long count, FILE *stream);
char *fgets(char *to, int size, FILE *stream);
int fputs(const char *text, FILE *stream);
int open(const char *name, int flags, ...);
int creat(const char *name, unsigned mode);
int dup(int descriptor);
int dup2(int descriptor, int wanted);
int dup3(int descriptor, int wanted, int flags);
int open64(const char *name, int flags, ...);
int openat64(int folder, const char *name, int flags, ...);
int creat64(const char *name, unsigned mode);
int open_by_handle_at(int folder, void *handle, int flags);
int mkstemp64(char *name);
int mkostemp(char *name, int flags);
int mkstemps(char *name, int length);
int mkostemps(char *name, int length, int flags);
int memfd_create(const char *name, unsigned flags);
int memfd_secret(unsigned flags);
int shm_open(const char *name, int flags, unsigned mode);
int mq_open(const char *name, int flags, ...);
int mq_close(int descriptor);
int posix_openpt(int flags);
int getpt(void);
int accept4(int descriptor, void *address, unsigned *length, int flags);
int epoll_create(int size);
int epoll_create1(int flags);
int eventfd(unsigned count, int flags);
int signalfd(int descriptor, const void *signals, int flags);
int timerfd_create(int clock, int flags);
int inotify_init(void);
int inotify_init1(int flags);
int fanotify_init(unsigned flags, unsigned event_flags);
int userfaultfd(int flags);
int pidfd_open(int process, unsigned flags);
int pidfd_getfd(int process, int wanted, unsigned flags);
int fcntl(int descriptor, int command, ...);
int fcntl64(int descriptor, int command, ...);
int openpty(int *first, int *second, char *name, const void *terminal, const void *window);
int forkpty(int *first, char *name, const void *terminal, const void *window);
int close_range(unsigned first, unsigned last, int flags);
void closefrom(int first);
int ioctl(int descriptor, unsigned long request, ...);
long syscall(long number, ...);
long recvmsg(int descriptor, void *message, int flags);
int dirfd(void *folder);
void *fdopendir(int descriptor);
int scandir(const char *name, void ***entries, void *filter, void *compare);
int openat(int folder, const char *name, int flags, ...);
int mkstemp(char *name);
int pipe(int ends[2]);
int pipe2(int ends[2], int flags);
int socketpair(int domain, int type, int protocol, int ends[2]);
FILE *fdopen(int descriptor, const char *mode);
FILE *tmpfile(void);
int close(int descriptor);
long read(int descriptor, void *to, unsigned long size);
long write(int descriptor, const void *from, unsigned long size);
void *malloc(unsigned long size);
void *calloc(unsigned long count, unsigned long size);
void *realloc(void *memory, unsigned long size);
void free(void *memory);
void *aligned_alloc(unsigned long alignment, unsigned long size);
int posix_memalign(void **memory, unsigned long alignment, unsigned long size);
void *memalign(unsigned long alignment, unsigned long size);
void *valloc(unsigned long size);
void *pvalloc(unsigned long size);
int *wcsdup(const int *text);
char *tempnam(const char *folder, const char *prefix);
char *get_current_dir_name(void);
char *canonicalize_file_name(const char *name);
char **backtrace_symbols(void **addresses, int count);
char *realpath(const char *name, char *buffer);
char *getcwd(char *buffer, unsigned long size);
int vasprintf(char **text, const char *format, __builtin_va_list arguments);
long getdelim(char **line, unsigned long *size, int delimiter, FILE *stream);
void *reallocarray(void *memory, unsigned long count, unsigned long size);
void cfree(void *memory);
char *strdup(const char *text);
char *strndup(const char *text, unsigned long size);
int asprintf(char **text, const char *format, ...);
long getline(char **line, unsigned long *size, FILE *stream);
void spin_lock(lock_t *lock);
void spin_unlock(lock_t *lock);
int spin_trylock(lock_t *lock);
void spin_lock_irq(lock_t *lock);
void spin_unlock_irq(lock_t *lock);
void spin_lock_irqsave(lock_t *lock, unsigned long *flags);
void spin_unlock_irqrestore(lock_t *lock, unsigned long flags);
void spin_lock_bh(lock_t *lock);
int spin_trylock_irq(lock_t *lock);
int spin_trylock_irqsave(lock_t *lock, unsigned long *flags);
int spin_trylock_bh(lock_t *lock);
int atomic_dec_and_lock(int *count, lock_t *lock);
int refcount_dec_and_lock(int *count, lock_t *lock);
void spin_lock_nested(lock_t *lock, int depth);
void spin_lock_irqsave_nested(lock_t *lock, unsigned long *flags, int depth);
void spin_unlock_bh(lock_t *lock);
int pthread_mutex_lock(lock_t *mutex);
int pthread_mutex_trylock(lock_t *mutex);
int pthread_mutex_timedlock(lock_t *mutex, const void *time);
int pthread_mutex_clocklock(lock_t *mutex, int clock, const void *time);
int pthread_mutex_unlock(lock_t *mutex);
int pthread_mutex_destroy(lock_t *mutex);
void local_irq_disable(void);
void local_irq_enable(void);
void schedule(void);
int socket(int domain, int type, int protocol);
int bind(int descriptor, const void *address, unsigned length);
int listen(int descriptor, int backlog);
int accept(int descriptor, void *address, unsigned *length);
struct irp; struct device;
void IoCompleteRequest(struct irp *request, int boost);
void IofCompleteRequest(struct irp *request, int boost);
void IoMarkIrpPending(struct irp *request);
int IoCallDriver(struct device *device, struct irp *request);
int IofCallDriver(struct device *device, struct irp *request);
struct kref { int count; };
void kref_init(struct kref *object);
void kref_get(struct kref *object);
int kref_get_unless_zero(struct kref *object);
int kref_put(struct kref *object, void (*release)(struct kref *));
int main(void)
{
    static lock_t lock; char text[4]; unsigned length; struct kref count;
    struct irp *irp = (struct irp *)&lock;
    spin_lock(&lock); spin_unlock(&lock); if (spin_trylock(&lock)) spin_unlock(&lock);
    unsigned long flags = 0; spin_lock_irqsave(&lock, &flags); spin_unlock_irqrestore(&lock, flags);
    spin_lock_irq(&lock); spin_unlock_irq(&lock); spin_lock_bh(&lock); spin_unlock_bh(&lock);
    pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); pthread_mutex_destroy(&lock);
    local_irq_disable(); local_irq_enable(); schedule();
    FILE *file = fopen(\"a\", \"r\");
    if (file) { fread(text, 1, 4, file); fwrite(text, 1, 4, file); fgets(text, 4, file); fputs(text, file); fclose(file); }
    int d = open(\"a\", 0); read(d, text, 4); write(d, text, 4); close(d);
    free(malloc(4)); void *block = realloc(calloc(1, 4), 8); free(block);
    int s = socket(1, 2, 3); bind(s, text, 4); listen(s, 5); accept(s, text, &length);
    IoMarkIrpPending(irp); IoCallDriver(0, irp); IofCallDriver(0, irp); IoCompleteRequest(irp, 0); IofCompleteRequest(irp, 0);
    kref_init(&count); kref_get(&count); kref_put(&count, 0);
    return 0;
}";

const BROKEN: &[(&str, &str, &str)] = &[
    (
        "spin-lock",
        "static lock_t a, b; spin_lock(&a); spin_lock(&b); spin_lock(&a);",
        "held already",
    ),
    ("mutex", "static lock_t a; pthread_mutex_unlock(&a);", "is not locked"),
    (
        "file-handle",
        "FILE *f = fopen(\"a\", \"r\"); if (f) { fclose(f); fclose(f); }",
        "closed twice",
    ),
    (
        "unchecked-stream",
        "FILE *f = fopen(\"a\", \"r\"); fclose(f);",
        "null pointer",
    ),
    (
        "double-close",
        "int d = open(\"a\", 0); close(d); close(d);",
        "closed twice",
    ),
    (
        "spin-lock",
        "static lock_t a; spin_trylock(&a); spin_unlock(&a);",
        "is not held",
    ),
    (
        "spin-lock",
        "static lock_t a; unsigned long f; spin_lock_irqsave(&a, &f); spin_lock(&a);",
        "held already",
    ),
    ("memory", "void *m = malloc(4);", "never freed"),
    ("memory", "void *m = calloc(1, 4);", "never freed"),
    ("memory", "void *m = realloc(malloc(4), 8);", "never freed"),
    (
        "memory",
        "void *m = malloc(4); void *n = realloc(m, 8); free(n); free(m);",
        "freed twice",
    ),
    (
        "memory",
        "void *m = malloc(4); free(m); m = realloc(m, 8);",
        "resized after it was freed",
    ),
    (
        "interrupts",
        "local_irq_disable(); schedule(); local_irq_enable();",
        "the scheduler is called",
    ),
    (
        "socket",
        "int s = socket(1, 2, 3); bind(s, 0, 0); listen(s, 5);",
        "is not bound",
    ),
    (
        "request-completion",
        "static lock_t a; IoCompleteRequest((struct irp *)&a, 0); IoCompleteRequest((struct irp *)&a, 0);",
        "completed twice",
    ),
    (
        "reference-count",
        "static struct kref k; kref_init(&k); kref_put(&k, 0); kref_put(&k, 0);",
        "given back",
    ),
    ("memory", "void *p; posix_memalign(&p, 16, 64);", "never freed"),
    ("memory", "char *s; asprintf(&s, \"a\");", "never freed"),
    ("memory", "void *m = valloc(4);", "never freed"),
    (
        "memory",
        "char *s = 0; unsigned long n = 0; getdelim(&s, &n, 58, stdin);",
        "never freed",
    ),
    (
        "memory",
        "char *s = 0; unsigned long n = 0; getline(&s, &n, stdin);",
        "never freed",
    ),
    (
        "socket",
        "int s = socket(1, 2, 3); accept4(s, 0, 0, 0);",
        "does not listen",
    ),
    (
        "file-handle",
        "FILE *f = popen(\"a\", \"r\"); if (f) { pclose(f); pclose(f); }",
        "closed twice",
    ),
    (
        "file-handle",
        "char *s; unsigned long n; FILE *f = open_memstream(&s, &n);",
        "never closed",
    ),
    (
        "file-handle",
        "if (!freopen(\"a\", \"r\", stdin)) fgetc(stdin);",
        "read after it was closed",
    ),
    (
        "double-close",
        "int a = mq_open(\"a\", 0); mq_close(a); mq_close(a);",
        "closed twice",
    ),
    (
        "double-close",
        "int a = dup3(1, 9, 0); close(a); close(a);",
        "closed twice",
    ),
    (
        "mutex",
        "static lock_t m; if (!pthread_mutex_clocklock(&m, 0, 0)) pthread_mutex_destroy(&m);",
        "destroyed while it is locked",
    ),
    (
        "spin-lock",
        "static lock_t a; static int n; atomic_dec_and_lock(&n, &a);",
        "never given back",
    ),
    (
        "memory",
        "void *m = malloc(4); free(m); m = reallocarray(m, 2, 8);",
        "resized after it was freed",
    ),
    ("memory", "char *s = realpath(\"a\", 0);", "never freed"),
    (
        "file-handle",
        "fclose(stdout); fputs(\"x\", stdout);",
        "written to after",
    ),
    (
        "file-handle",
        "stderr = stdout; fclose(stdout); fclose(stderr);",
        "closed twice",
    ),
    ("file-handle", "FILE *f = popen(\"a\", \"r\");", "never closed"),
    (
        "file-handle",
        "FILE *f = popen(\"a\", \"r\"); if (f) { pclose(f); fgetc(f); }",
        "read after it was closed",
    ),
    (
        "file-handle",
        "char t[4]; FILE *f = fmemopen(t, 4, \"r\"); if (f) { fclose(f); fclose(f); }",
        "closed twice",
    ),
    (
        "unchecked-stream",
        "fputs(\"x\", fopen(\"a\", \"w\"));",
        "fputs gets a null pointer",
    ),
    (
        "mutex",
        "static lock_t m; pthread_mutex_trylock(&m); pthread_mutex_unlock(&m);",
        "is not locked",
    ),
    (
        "mutex",
        "static lock_t m; if (!pthread_mutex_timedlock(&m, 0)) pthread_mutex_lock(&m);",
        "is locked already",
    ),
    (
        "spin-lock",
        "static lock_t a; if (spin_trylock_irq(&a)) spin_lock(&a);",
        "held already",
    ),
    ("spin-lock", "static lock_t a; spin_trylock_bh(&a);", "never given back"),
    (
        "spin-lock",
        "static lock_t a; unsigned long f; if (spin_trylock_irqsave(&a, &f)) spin_lock(&a);",
        "held already",
    ),
    (
        "double-close",
        "int a = fcntl(1, 0, 0); close(a); close(a);",
        "closed twice",
    ),
    (
        "double-close",
        "int a = eventfd(0, 0); close(a); close(a);",
        "closed twice",
    ),
    (
        "double-close",
        "int a = open(\"a\", 0); close(a); fcntl(1, 3, 0); close(a);",
        "closed twice",
    ),
    (
        "reference-count",
        "static struct kref k; kref_init(&k); kref_get_unless_zero(&k); kref_put(&k, 0); kref_put(&k, 0);",
        "given back",
    ),
];

/// Through a pointer, too, and after the call with the arguments of before.
fn calls_by_pointer_are_events() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("rule-pointer");
    let program = folder.write(
        "pointer.c",
        "int step(int *p) { *p = *p + 1; return *p; }\nint (*table[])(int *) = { step };\n\
         int main(void) { int n = 4; table[0](&n); return table[0](&n); }\n",
    );
    let rule = folder.write(
        "once.rule",
        "rule \"step\";\nint calls = 0;\nafter r = step(_) {\n  calls = calls + 1;\n  if (calls == 2 && r == 6) error \"twice\";\n}\n",
    );
    let run = cubist(&["explore", &program, "--rule", &rule]);
    assert_eq!(run.status, Some(10), "{run:?}");
    assert!(run.stdout.contains("step: twice"), "{run:?}");
    Ok(())
}

const LABELS: &str = "\
typedef struct { int raw; } lock_t;
void spin_lock(lock_t *lock);
void spin_unlock(lock_t *lock);
void my(lock_t *lock) __asm__(\"spin_lock\");
";

/// A function is what its asm label says, also where it is called by a pointer, has a body, or is the only one.
fn functions_with_asm_labels_have_events() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("rule-labels");
    let both = "static lock_t l; int main(void) { spin_lock(&l); my(&l); spin_unlock(&l); return 0; }";
    let pointer = "static lock_t l; void (*f)(lock_t *) = my;
        int main(void) { spin_lock(&l); f(&l); spin_unlock(&l); return 0; }";
    let body = "void my(lock_t *lock) { lock->raw = 1; }
        static lock_t l; int main(void) { spin_lock(&l); my(&l); spin_unlock(&l); return 0; }";
    let only = "static lock_t l; int main(void) { my(&l); my(&l); return 0; }";
    let renamed = "static lock_t l; int main(void) { real(&l); spin_lock(&l); spin_unlock(&l); return 0; }";
    let own = "typedef struct { int raw; } lock_t;\nvoid spin_unlock(lock_t *lock);\n";
    let mine = "void my(lock_t *lock) __asm__(\"spin_lock\");\n";
    let real = "void spin_lock(lock_t *) __asm__(\"real\"); void real(lock_t *lock) { lock->raw = 1; }\n";
    for text in [
        format!("{LABELS}{both}"),
        format!("{LABELS}{pointer}"),
        format!("{LABELS}{body}"),
        format!("{own}{mine}{only}"),
        format!("{own}{real}{renamed}"),
    ] {
        let program = folder.write("labels.c", &text);
        for command in ["explore", "check"] {
            let run = cubist(&[command, &program, "--rule", RULE, "-q"]);
            assert_eq!(run.status, Some(10), "{text}: {run:?}");
            assert!(run.stdout.contains("held already"), "{text}: {run:?}");
        }
    }
    Ok(())
}

/// One call is one event: `open` is `open64` where files are large, and rules may be about both.
fn functions_with_asm_labels_have_each_event_once() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("rule-labels-once");
    let kept = "static lock_t l; int main(void) { my(&l); spin_unlock(&l); my(&l); spin_unlock(&l); return 0; }";
    let program = folder.write("kept.c", format!("{LABELS}{kept}"));
    let run = cubist(&["check", &program, "--rule", RULE, "-q"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let program = folder.write(
        "open.c",
        "int open64(const char *, int, ...); int open(const char *, int, ...) __asm__(\"\" \"open64\");
         int main(void) { open(\"a\", 0); open64(\"a\", 0); return 0; }",
    );
    let rule = |most: usize| {
        let event = "if (calls == most) error \"often\"; calls = calls + 1;".replace("most", &most.to_string());
        let text = format!("int calls = 0;\nbefore open(_, _) {{ {event} }}\nbefore open64(_, _) {{ {event} }}\n");
        folder.write(&format!("calls-{most}.rule"), text)
    };
    assert_eq!(cubist(&["check", &program, "--rule", &rule(2), "-q"]).status, Some(0));
    assert_eq!(cubist(&["check", &program, "--rule", &rule(1), "-q"]).status, Some(10));
    Ok(())
}

/// Where the events of a function would be lost, both names are told.
fn functions_with_asm_labels_that_do_not_fit_are_refused() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("rule-labels-refused");
    let lock = "typedef struct { int raw; } lock_t; static lock_t l;\n";
    let declared = "int spin_trylock(lock_t *lock); void spin_lock(lock_t *lock);\n";
    let by_label = "`my`, which is `spin_lock` by an asm label";
    for (text, expected) in [
        (
            format!("{lock}{declared}void my(void) __asm__(\"spin_lock\"); int main(void) {{ my(); return 0; }}"),
            by_label,
        ),
        (
            format!("{lock}{declared}void my(lock_t) __asm__(\"spin_lock\"); int main(void) {{ my(l); return 0; }}"),
            by_label,
        ),
        (
            format!(
                "{lock}{declared}void my(lock_t *) __asm__(\"spin_trylock\"); int main(void) {{ my(&l); return 0; }}"
            ),
            "`my`, which is `spin_trylock` by an asm label",
        ),
        (
            format!("{lock}int main(void) {{ void my(lock_t *) __asm__(\"spin_lock\"); my(&l); my(&l); return 0; }}"),
            "`my`, which is `spin_lock` by its asm label, is used, but is not declared outside of functions",
        ),
        (
            format!("{lock}int main(void) {{ spin_lock(&l); spin_lock(&l); return 0; }}"),
            "`spin_lock` is used, but is not declared outside of functions",
        ),
    ] {
        let program = folder.write("refused.c", &text);
        let run = cubist(&["check", &program, "--rule", RULE]);
        assert_eq!(run.status, Some(2), "{text}: {run:?}");
        assert!(run.stderr.contains(expected), "{text}: {run:?}");
    }
    Ok(())
}

fn mistakes_in_rules_are_shown() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("rule-mistakes");
    for (text, expected) in [
        ("before spin_lock(lock { }", "expected `,` or `)`, found `{`"),
        (
            "before spin_lock(lock)",
            "expected `{` and what to do, found the end of the file",
        ),
        (
            "before spin_lock(lock) { error; }",
            "expected what is wrong, in quotes, found `;`",
        ),
        ("before spin_lock(lock) { held = 1; }", "`held`"),
        ("before spin_lock(a, b) { }", "declared with fewer parameters"),
        ("before spin_lock(lock) { if (lock }", "expected"),
        ("rule spin;", "expected what the rule says, in quotes, found `spin`"),
        ("+", "expected an event, `rule`, `watch` or a variable, found `+`"),
        ("int held = 0;", "this rule has no events"),
    ] {
        let rule = folder.write("bad.rule", text);
        let run = cubist(&["show", LOCK, "--rule", &rule]);
        assert_eq!(run.status, Some(2), "{text}: {run:?}");
        assert!(run.stderr.contains(expected), "{text}: {run:?}");
        assert!(run.stderr.contains("bad.rule:1"), "{text}: {run:?}");
    }
    let unknown = folder.write("unknown.rule", "before never(_) { error \"no\"; }");
    let run = cubist(&["show", LOCK, "--rule", &unknown]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let expected = "unknown.rule is about `never`, which the program does not have\n";
    assert!(run.stdout.contains(expected), "{run:?}");
    Ok(())
}

fn programs_are_shown() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("program-graphs");
    let (calls, flow) = (folder.0.join("calls.svg"), folder.0.join("flow.dot"));
    let run = cubist(&["show", LOCK, "--points-to", "--graph", calls.to_str().unwrap()]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("submit: device -> main: device"), "{run:?}");
    assert!(std::fs::read_to_string(&calls).unwrap().contains("<svg"));
    let flow_name = flow.to_str().unwrap();
    let run = cubist(&["show", LOCK, "--graph", flow_name, "--procedure", "submit"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(std::fs::read_to_string(&flow).unwrap().contains("digraph"));
    let run = cubist(&["show", LOCK, "--graph", flow_name, "--procedure", "spin_lock"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert_eq!(cubist(&["show", LOCK, "--size", "N=3"]).status, Some(2));
    assert_eq!(cubist(&["show", "models/german.m", "--points-to"]).status, Some(2));
    Ok(())
}

fn undefined_behaviour_is_a_finding_unless_it_is_not_wanted() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("undefined");
    let program = folder.write(
        "overflow.c",
        "int main(void) { int n = 2147483647; n = n + 1; return n < 0 ? 3 : 4; }\n",
    );
    let run = cubist(&["explore", &program, "-q"]);
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(10), "Undefined behaviour: signed overflow\n")
    );
    let run = cubist(&["explore", &program, "-q", "--undefined", "wrap"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let run = cubist(&["explore", &program, "-q", "--undefined", "assume-absent"]);
    assert_eq!(run.status, Some(20), "{run:?}");
    Ok(())
}

/// Only what the program makes use of.
fn what_is_assumed_is_listed() -> Outcome {
    tool("cc", "--version")?;
    let folder = Folder::new("assumed");
    let assumed = |text: &str| {
        let program = folder.write("assumed.i", text);
        let (_, report) = json(&["show", &program, "--json"]);
        let lines = report["assumed"].as_array().unwrap().clone();
        lines
            .iter()
            .filter_map(|line| line.as_str().map(str::to_owned))
            .collect::<Vec<String>>()
    };
    assert_eq!(assumed("int main(void) { return 0; }"), Vec::<String>::new());
    for (text, expected) in [
        (
            "void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void free(void *);
             int main(void) { free(malloc(8)); free(calloc(8, 1)); return 0; }",
            "memory never runs out: `malloc` and `calloc` return no null pointer for want of it",
        ),
        (
            "int f(void); int main(void) { return f(); }",
            "functions without a body change no global variable that the program names, unless an argument of theirs \
             leads to it",
        ),
        (
            "int main(void) { int x; return (long)&x == 4; }",
            "no two objects ever have the same address, not even one after the other: a pointer becomes a number",
        ),
    ] {
        let lines = assumed(text);
        assert!(lines.iter().any(|line| line.starts_with(expected)), "{lines:?}");
        // A function without a body has a line of its own, too.
        assert!(lines.len() <= 2, "{lines:?}");
    }
    // `main` is called with any arguments, the first of which is there.
    assert_eq!(
        assumed("int main(int argc, char **argv) { return argv[0] == 0; }"),
        ["`main` is given the name of the program: `argc` is at least 1"]
    );
    // The place of a member is no address.
    let offset = "struct s { int a, b; }; int main(void) { return (long)&((struct s *)0)->b == 4; }";
    assert_eq!(assumed(offset), Vec::<String>::new());
    Ok(())
}

fn errors_of_others_are_found() -> Outcome {
    tool("cc", "--version")?;
    for file in [
        "c/locks/test_locks_14_false-unreach-call.c",
        "c/loops/sum01_false-unreach-call_true-termination.c",
        "c/ntdrivers-simplified/kbfiltr_simpl2_false-unreach-call_true-termination.cil.c",
    ] {
        let run = cubist(&["explore", &corpus(file)?, "-q", "--data-model", "ilp32"]);
        assert_eq!(run.status, Some(10), "{file}: {run:?}");
        assert!(run.stdout.contains("__VERIFIER_error() is called"), "{file}: {run:?}");
    }
    Ok(())
}

testing::tests!(
    a_rule_that_is_broken_is_shown_line_by_line,
    fields_are_shown,
    property_files,
    a_rule_that_is_kept_is_not_reported,
    the_rules_that_ship_can_be_read,
    the_rules_that_ship_find_what_they_are_for,
    the_rules_that_ship_report_nothing_else,
    absent_functions_are_named_together,
    calls_by_pointer_are_events,
    functions_with_asm_labels_have_events,
    functions_with_asm_labels_have_each_event_once,
    functions_with_asm_labels_that_do_not_fit_are_refused,
    mistakes_in_rules_are_shown,
    programs_are_shown,
    undefined_behaviour_is_a_finding_unless_it_is_not_wanted,
    what_is_assumed_is_listed,
    errors_of_others_are_found
);
