#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A condition variable of the C library is one wait site, though threads wait at two words of it,
# with or without a name in the recording; two adjacent words of a program are two sites.
# shellcheck source=/dev/null
. "${0%/*}/record-lib"
need_collector bpf

cat >queue.c <<'EOF'
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ITEMS = 300, WORKERS = 3 };
struct queue {
	long before[5];
	pthread_cond_t have;
};
static pthread_cond_t have = PTHREAD_COND_INITIALIZER;
static struct queue queue = {.have = PTHREAD_COND_INITIALIZER};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *condition;
static int items, ended;
static volatile long work;

static void compute(int rounds)
{
	for (int i = 0; i < rounds; i++)
		work += i;
}

static void *take_items(void *argument)
{
	pthread_mutex_lock(&lock);
	while (items || !ended) {
		while (!items && !ended)
			pthread_cond_wait(condition, &lock);
		items -= items > 0;
		pthread_mutex_unlock(&lock);
		compute(20000);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return argument;
}

static void put_items(void)
{
	for (int i = 0; i <= ITEMS; i++) {
		usleep(500);
		pthread_mutex_lock(&lock);
		items += i < ITEMS;
		ended = i == ITEMS;
		if (ended)
			pthread_cond_broadcast(condition);
		else
			pthread_cond_signal(condition);
		pthread_mutex_unlock(&lock);
	}
}

/* Two semaphores of its own, each a word, beside each other. */
static _Alignas(8) uint32_t words[2];

static void words_post(uint32_t *word)
{
	__atomic_add_fetch(word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void words_wait(uint32_t *word)
{
	uint32_t value;

	while (!(value = __atomic_load_n(word, __ATOMIC_SEQ_CST)) ||
	       !__atomic_compare_exchange_n(word, &value, value - 1, 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST))
		syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, -1);
}

static void *take_words(void *argument)
{
	for (int i = 0; i < ITEMS; i++) {
		words_wait(argument);
		compute(20000);
	}
	return NULL;
}

static void put_words(void)
{
	for (int i = 0; i < 2 * ITEMS; i++) {
		usleep(300);
		words_post(&words[i >= ITEMS]);
	}
}

int main(int argc, char **argv)
{
	const char *place = argc > 1 ? argv[1] : "variable";
	struct queue *on_heap = calloc(1, sizeof(*on_heap));
	int of_words = strcmp(place, "words") == 0, count = of_words ? 2 : WORKERS;
	pthread_t threads[WORKERS];

	pthread_cond_init(&on_heap->have, NULL);
	condition = strcmp(place, "heap") == 0	 ? &on_heap->have
		    : strcmp(place, "part") == 0 ? &queue.have
						 : &have;
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, of_words ? take_words : take_items,
			       of_words ? &words[i] : NULL);
	if (of_words)
		put_words();
	else
		put_items();
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}
EOF
${CC:-cc} -O1 -g -o queue queue.c -pthread || fail 'queue.c cannot be built'
${CC:-cc} -O1 -o plain queue.c -pthread || fail 'queue.c cannot be built'

# sites FILE: the objects that threads wait for, without functions and mutexes.
sites()
{
	"$PSCAL" forecast -q --what-if list --json "$1" |
		jq -r '[.sites[] | select(.kind == "condition" or .kind == "futex") |
			"\(.kind) \(.name | sub(" in .*"; ""))"] | sort | join(", ")'
}

# is PROGRAM PLACE SITES [OPTION...]
is()
{
	program=$1 place=$2 want=$3
	shift 3
	expect 0 "$PSCAL" record -q "$@" -o "$program.$place.data" "./$program" "$place"
	got=$(sites "$program.$place.data" | sed 's/0x[0-9a-f]*/0xN/g; s/futex lock, \|, futex lock//')
	[ "$got" = "$want" ] || fail "$program $place $*: $got, not $want"
}

is queue variable 'condition have'
is queue part 'condition queue.have'
is queue heap 'condition condition on the heap'
is queue words 'futex words[0], futex words[1]'
is plain variable 'condition have'
is plain part 'condition queue+0xN'
is plain heap 'condition condition on the heap'
is plain words 'futex words, futex words+0xN'
