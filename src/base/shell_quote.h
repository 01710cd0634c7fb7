/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words as a shell would have to be given them, on one line. */
#ifndef PSCAL_BASE_SHELL_QUOTE_H
#define PSCAL_BASE_SHELL_QUOTE_H

/*
 * The words of a NULL-terminated list with blanks between them, quoted where a shell would change
 * them; what base/printable does not show as bash and ksh read it in $'...'. The caller frees it.
 */
char *shell_quote(const char *const *words);

#endif
