#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <stddef.h>
static unsigned long long checksum = 1;
static unsigned touched[64];
static void add(unsigned long long v) { checksum = (checksum ^ v) * 1099511628211ull + 7; }
static void touch(unsigned n) { touched[n]++; }
static long long seen(unsigned n, long long v) { touched[n]++; return v; }
static void show(const char *name, long long v) { printf("%s = %lld\n", name, v); add((unsigned long long)v); }
