/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of page/, as the build puts them into the command. */
#ifndef PAGE_FILES_H
#define PAGE_FILES_H

#include <stddef.h>

extern const unsigned char page_html[], page_css[], page_js[];
extern const size_t page_html_size, page_css_size, page_js_size;

#endif
