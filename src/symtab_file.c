// SPDX-License-Identifier: GPL-2.0-only
/* ELF files of which little is wanted, once. */
#include "symtab_state.h"

#include <unistd.h>

static bool has_interpreter(Elf *elf)
{
	size_t count = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count && i < MAX_HEADERS; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_INTERP)
			return true;
	return false;
}

struct err *symtab_inspect(const char *path, struct symtab_program *p)
{
	struct err *e;
	GElf_Ehdr eh;
	Elf *elf;
	int fd;

	*p = (struct symtab_program){ 0 };
	if ((e = symtab_open_regular(path, &fd)))
		return e;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &eh)) {
		p->elf = true;
		p->machine = eh.e_machine;
		p->wide = gelf_getclass(elf) == ELFCLASS64;
		p->dynamic = has_interpreter(elf);
		p->hooks = symtab_section_data(&(struct symtab){ .elf = elf }, ".note.hitmap");
	}
	elf_end(elf);
	close(fd);
	return NULL;
}

static void list(Elf *elf, Elf_Scn *scn, symtab_visit *visit, void *context)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t count;
	GElf_Shdr sh;

	if (!data || !gelf_getshdr(scn, &sh) || !sh.sh_entsize)
		return;
	count = data->d_size / sh.sh_entsize;
	for (size_t i = 1; i < count && i < INT32_MAX; i++) {
		const char *name;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym))
			return;
		name = elf_strptr(elf, sh.sh_link, sym.st_name);
		if (name && *name && sym.st_shndx != SHN_UNDEF && sym.st_shndx != SHN_ABS &&
		    GELF_ST_TYPE(sym.st_info) <= STT_FUNC)
			visit(context, name, sym.st_value, GELF_ST_TYPE(sym.st_info) == STT_OBJECT);
	}
}

struct err *symtab_list(const char *path, symtab_visit *visit, void *context)
{
	struct err *e;
	struct symtab s = { 0 };
	Elf_Scn *scn;
	int fd;

	if ((e = symtab_open_regular(path, &fd)))
		return e;
	elf_version(EV_CURRENT);
	s.elf = elf_begin(fd, ELF_C_READ, NULL);
	scn = s.elf && elf_kind(s.elf) == ELF_K_ELF ? symtab_section_of_type(&s, SHT_SYMTAB) : NULL;
	if (scn)
		list(s.elf, scn, visit, context);
	elf_end(s.elf);
	close(fd);
	return NULL;
}
