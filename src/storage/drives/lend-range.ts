import type { Borrow, OpenObject } from './drive.ts'

/** Lends the bytes of a range, without new memory for each chunk where the drive can do that. */
export async function lendRange(
  object: OpenObject,
  { start, end }: { readonly start: number; readonly end: number },
  borrow: Borrow,
): Promise<void> {
  if (object.lend !== undefined) return await object.lend(start, end, borrow)
  for await (const chunk of object.read(start, end)) await borrow(chunk)
}
