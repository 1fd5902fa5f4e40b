/** Bodies up to this go out as text, joined with their head; beyond it, copying costs more than a second write. */
export const TEXT_BYTES_MAX = 8 * 1024;
