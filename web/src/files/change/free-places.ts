import { nameOf, parentOf } from '../entries/entry.ts'
import type { Move } from './move-plan.ts'

interface FreeClient {
  readonly freeKeys: (bucket: string, keys: readonly string[]) => Promise<Map<string, string>>
  readonly isListed: (bucket: string, folder: string) => Promise<boolean>
}

/** The maximum number to try for a folder. */
const maxNumber = 100

/**
 * The same moves, to free names: `a (2).txt`, `trip (2)/`.
 *
 * @throws Error with a message to show.
 */
export async function freePlaces(moves: readonly Move[], client: FreeClient): Promise<Move[]> {
  const bucket = moves[0]?.toBucket ?? ''
  const files = moves.filter(({ entry }) => entry.kind === 'file').map(({ to }) => to)
  const free = await client.freeKeys(bucket, files)
  const placed: Move[] = []
  for (const move of moves) {
    const to = move.entry.kind === 'file' ? free.get(move.to) : await freeFolder(move, client)
    if (to === undefined) throw new Error('There are too many copies of this name. Rename some.')
    placed.push({ ...move, to })
  }
  return placed
}

async function freeFolder({ to, toBucket }: Move, client: FreeClient): Promise<string | undefined> {
  for (let number = 2; number <= maxNumber; number += 1) {
    const folder = `${parentOf(to)}${nameOf(to)} (${number})/`
    if (!(await client.isListed(toBucket, folder))) return folder
  }
  return undefined
}
