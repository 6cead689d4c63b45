import { DriveError } from '../../drive-error.ts'
import type { DavResponse } from './dav-client.ts'
import { unreachable } from './dav-error.ts'
import { type DavEntry, type Demand, MultistatusReader, unreadable } from './multistatus.ts'

/** Larger folders are refused: their listing would not fit in memory. */
const maxChildren = 250_000

export interface DavChild extends DavEntry {
  readonly name: string
}

export interface DavFolder<Kept = DavChild> {
  readonly self: DavEntry
  readonly children: readonly Kept[]
}

export interface FolderReading<Kept> {
  readonly demand: Demand
  /** Reading stops as soon as this many are known. */
  readonly limit: number
  /** Selects what to keep of a child: a hundred thousand long records would fill the memory. */
  keep(child: DavChild): Kept
}

/**
 * Reads the answer to a PROPFIND with depth 1 while it arrives; undefined if it is not of a folder.
 * @throws as MultistatusReader.read, and DriveError `unavailable` when the answer is cut off
 */
export async function readDavFolder<Kept>(
  response: DavResponse,
  reading: FolderReading<Kept>,
): Promise<DavFolder<Kept> | undefined> {
  try {
    return await parseFolder(response, reading)
  } catch (error) {
    throw error instanceof DriveError ? error : unreachable(error)
  }
}

async function parseFolder<Kept>(
  { body }: DavResponse,
  { limit, demand, keep }: FolderReading<Kept>,
): Promise<DavFolder<Kept> | undefined> {
  const reader = new MultistatusReader(demand)
  const children = new Map<string, Kept>()
  let self: DavEntry | undefined
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    for (const entry of reader.read(chunk)) {
      // RFC 4918 section 9.1 defines no order, but all servers begin with the folder itself.
      self ??= entry
      const name = childNameOf(self, entry)
      if (name !== undefined) children.set(name, keep({ ...entry, name }))
    }
    if (children.size > maxChildren) throw tooMany()
    // Leaving the loop ends the connection.
    if (self !== undefined && children.size >= limit) {
      return { self, children: [...children.values()] }
    }
  }
  reader.end()
  if (self === undefined && !reader.isAbsent) throw unreadable()
  return self?.isFolder === true ? { self, children: [...children.values()] } : undefined
}

/** The last name of a direct child of the folder; undefined for everything else. */
function childNameOf(folder: DavEntry, { segments }: DavEntry): string | undefined {
  const depth = folder.segments.length
  if (segments.length !== depth + 1) return undefined
  const isBelow = folder.segments.every((segment, index) => segments[index] === segment)
  return isBelow ? segments[depth] : undefined
}

function tooMany(): DriveError {
  return new DriveError('unavailable', `A folder holds more than ${maxChildren} names.`)
}
