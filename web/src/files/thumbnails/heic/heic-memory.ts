/** Bytes: the largest photos that are decoded need some 600 MB. */
const maxBytes = 768 * 1024 * 1024

/** WebAssembly JavaScript Interface, section 5.3: the size of a page. */
const pageBytes = 64 * 1024

interface Memory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

export const memory = (
  globalThis as unknown as { readonly WebAssembly: { readonly Memory: { prototype: Memory } } }
).WebAssembly.Memory.prototype

const { grow } = memory

/**
 * Limits the memory of WebAssembly in this thread. libheif reserves what an overlay or a grid claims to need, up to 2 GB for
 * 1 KB of a file, before it compares that with the size in the list of items.
 */
memory.grow = function (this: Memory, pages: number): number {
  const bytes = this.buffer.byteLength + pages * pageBytes
  if (bytes > maxBytes) throw new RangeError('too much memory')
  return grow.call(this, pages)
}
