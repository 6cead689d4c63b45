/**
 * Frees the memory of bytes that are no longer needed; they are empty afterwards. node:http allocates up
 * to 64 KiB for each piece of a body, outside V8's heap. V8 counts little of that, so it would collect
 * hundreds of MiB of dead pieces too late (docs/decisions/0011-memory-of-the-heap.md). Bytes that share
 * their memory with others stay.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  // Moves the memory to a new owner of no bytes, which frees it.
  if (isOwn) buffer.transfer(0)
}
