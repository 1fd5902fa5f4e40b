/** Bodies up to this go out as text, joined with their head; beyond it, copying costs more than a second write. */
export const TEXT_BYTES_MAX = 8 * 1024;

/**
 * As many bytes may wait to be written before the sender is paused: one piece of 64 KB, as connections are read, with its
 * length where it is chunked. Node lets each piece wait for a tick, so pausing at once would pause for every one.
 */
export const WAITING_BYTES_MAX = 65 * 1024;
