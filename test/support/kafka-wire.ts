/** Reads Kafka's primitive types (kafka.apache.org/protocol), and batches of records of version 2. */
export class KafkaReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    if (taken.length < length) throw new Error('the request ends early');
    this.#at += length;
    return taken;
  }

  int8(): number {
    return this.#take(1).readInt8();
  }

  int16(): number {
    return this.#take(2).readInt16BE();
  }

  int32(): number {
    return this.#take(4).readInt32BE();
  }

  int64(): bigint {
    return this.#take(8).readBigInt64BE();
  }

  /** Null is read as the empty text. */
  string(): string {
    const length = this.int16();
    return length < 0 ? '' : this.#take(length).toString('utf8');
  }

  bytes(): Buffer {
    return this.#take(this.int32());
  }

  array<Item>(read: (from: KafkaReader) => Item): Item[] {
    const count = this.int32();
    return Array.from({ length: Math.max(0, count) }, () => read(this));
  }

  varint(): number {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = this.#take(1).readUInt8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      shift += 7;
    }
  }

  #counted(): string {
    return this.#take(Math.max(0, this.varint())).toString('utf8');
  }

  records(): { key: string; value: string; headers: Record<string, string> }[] {
    const batch = new KafkaReader(this.bytes());
    batch.int64();
    const length = batch.int32();
    batch.int32();
    if (batch.int8() !== 2) throw new Error('not a batch of version 2');
    const crc = batch.int32() >>> 0;
    const rest = batch.#bytes.subarray(batch.#at, 12 + length);
    if (crc32c(rest) !== crc) throw new Error('the checksum is wrong');
    batch.#take(2 + 4 + 8 + 8 + 8 + 2 + 4);
    return batch.array((from) => {
      from.varint();
      from.int8();
      from.varint();
      from.varint();
      const key = from.#counted();
      const value = from.#counted();
      const count = from.varint();
      const headers = Array.from({ length: count }, () => [from.#counted(), from.#counted()]);
      return { key, value, headers: Object.fromEntries(headers) };
    });
  }
}

/** Castagnoli’s polynomial, RFC 3720. */
function crc32c(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Writes Kafka's primitive types. */
export class KafkaWriter {
  readonly #parts: Buffer[] = [];

  #add(length: number, write: (to: Buffer) => void): this {
    const part = Buffer.alloc(length);
    write(part);
    this.#parts.push(part);
    return this;
  }

  int8(value: number): this {
    return this.#add(1, (to) => to.writeInt8(value));
  }

  int16(value: number): this {
    return this.#add(2, (to) => to.writeInt16BE(value));
  }

  int32(value: number): this {
    return this.#add(4, (to) => to.writeInt32BE(value));
  }

  int64(value: bigint): this {
    return this.#add(8, (to) => to.writeBigInt64BE(value));
  }

  string(value: string | null): this {
    if (value === null) return this.int16(-1);
    const bytes = Buffer.from(value);
    this.int16(bytes.length);
    this.#parts.push(bytes);
    return this;
  }

  bytes(value: Buffer): this {
    this.int32(value.length);
    this.#parts.push(value);
    return this;
  }

  array<Item>(items: readonly Item[], write: (to: this, item: Item) => unknown): this {
    this.int32(items.length);
    for (const item of items) write(this, item);
    return this;
  }

  /** The answer to a request: length, number, body. */
  frame(correlation: number): Buffer {
    const head = new KafkaWriter().int32(correlation);
    const body = Buffer.concat([...head.#parts, ...this.#parts]);
    return Buffer.concat([...new KafkaWriter().int32(body.length).#parts, body]);
  }
}
