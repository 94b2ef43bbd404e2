/* tests/unit/alloc_fail.h - the n-th allocation fails.
 *
 * Linked with --wrap for malloc, calloc, realloc, strdup and free, so that it
 * sees the calls of the code under test and of no shared library.
 *
 *     for (long n = 1;; n++) {
 *         long live = alloc_live();
 *
 *         alloc_fail_at(n);
 *         err = ...;
 *         if (!alloc_failed())
 *             break; (all allocations were tried: err is 0)
 *         assert_int_equal(err, -ENOMEM);
 *         assert_int_equal(alloc_live(), live);
 *     }
 */
#ifndef PARIO_TESTS_ALLOC_FAIL_H
#define PARIO_TESTS_ALLOC_FAIL_H

void alloc_fail_at(long n); /* counted from now, the first is 1; 0 for none */
int alloc_failed(void);     /* since alloc_fail_at; also ends the failing */
long alloc_live(void);      /* allocations not freed yet */

#endif
