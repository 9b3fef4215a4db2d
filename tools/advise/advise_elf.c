/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs and libraries as files. addr2line without debugging information answers with the symbol that
 * begins before an address, however far away it ends: in a stripped library with one public function, that
 * function for everything. A function is believed when a symbol says that it covers the address by its size.
 *
 * The file may be anything, so each offset is held against its length before it is followed. Cost: linear in
 * the symbols.
 */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advise.h"

/* ---- the file ------------------------------------------------------------------------------------------ */

static int is_little(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first;
}

static int is_known(const Elf64_Ehdr *header) {
    return !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == (is_little() ? ELFDATA2LSB : ELFDATA2MSB);
}

int elf_open(const char *path, elf_file *file) {
    struct stat status;
    *file = (elf_file){0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size >= (off_t)sizeof(Elf64_Ehdr)) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED) *file = (elf_file){bytes, (uint64_t)status.st_size};
    }
    close(descriptor);
    Elf64_Ehdr header;
    if (file->bytes) memcpy(&header, file->bytes, sizeof header);
    if (file->bytes && is_known(&header)) return 1;
    elf_close(file);
    return 0;
}

void elf_close(elf_file *file) {
    if (file->bytes) munmap((void *)file->bytes, (size_t)file->size);
    *file = (elf_file){0};
}

/* The n-th of the things of this size that lie at this place. 0: it is not in the file. */
static int read_at(const elf_file *file, uint64_t place, uint64_t n, void *thing, size_t size) {
    if (place > file->size || n >= (file->size - place) / size) return 0;
    memcpy(thing, file->bytes + place + n * size, size);
    return 1;
}

/* ---- what is in it ------------------------------------------------------------------------------------- */

uint64_t elf_first_address(const elf_file *file) {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    memcpy(&header, file->bytes, sizeof header);
    if (header.e_type != ET_EXEC || header.e_phentsize != sizeof segment) return 0;
    for (unsigned i = 0; i < header.e_phnum && read_at(file, header.e_phoff, i, &segment, sizeof segment);
         i++)
        if (segment.p_type == PT_LOAD) return segment.p_vaddr & ~UINT64_C(0xfff);
    return 0;
}

static int covers(const Elf64_Sym *symbol, uint64_t address) {
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF &&
           address >= symbol->st_value && address - symbol->st_value < symbol->st_size;
}

int elf_has_function(const elf_file *file, uint64_t address) {
    Elf64_Ehdr header;
    Elf64_Shdr section;
    Elf64_Sym symbol;
    memcpy(&header, file->bytes, sizeof header);
    if (header.e_shentsize != sizeof section) return 0;
    for (unsigned i = 0; i < header.e_shnum && read_at(file, header.e_shoff, i, &section, sizeof section);
         i++) {
        if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
        for (uint64_t k = 0; k < section.sh_size / sizeof symbol; k++) {
            if (!read_at(file, section.sh_offset, k, &symbol, sizeof symbol)) break;
            if (covers(&symbol, address)) return 1;
        }
    }
    return 0;
}
