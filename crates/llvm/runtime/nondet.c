/*
 * Numbers that are not known: three of many.
 *
 * A number is 0, 1 or one with all bits set, which is -1 or the largest of its type. These are the ones that conditions tell
 * apart most often; a program that is right with them may be wrong with others: each call makes the verdict `bounded`.
 */

/* Only some of the values that are possible are tried here. */
void __threadbare_sampled(void);
_Bool __VERIFIER_nondet_bool(void);

INLINE int one_of_three(void)
{
	__threadbare_sampled();
	if (!__VERIFIER_nondet_bool())
		return 0;
	return __VERIFIER_nondet_bool() ? 1 : -1;
}

#define NUMBER(type, name) \
	type __VERIFIER_nondet_##name(void) { return (type)one_of_three(); }

NUMBER(char, char)
NUMBER(signed char, schar)
NUMBER(unsigned char, uchar)
NUMBER(short, short)
NUMBER(unsigned short, ushort)
NUMBER(int, int)
NUMBER(unsigned int, uint)
NUMBER(unsigned int, unsigned)
NUMBER(long, long)
NUMBER(unsigned long, ulong)
NUMBER(long long, longlong)
NUMBER(unsigned long long, ulonglong)
NUMBER(size_t, size_t)
NUMBER(uint8_t, u8)
NUMBER(uint16_t, u16)
NUMBER(uint32_t, u32)
NUMBER(uint64_t, u64)
