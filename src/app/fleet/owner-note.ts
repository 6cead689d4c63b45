/** The note `owner` (src/storage/drives/drive-notes.ts): which database a drive belongs to. */
export interface OwnerNote {
  readonly driveId: string
  readonly databaseId: string
  /** For people: where that database is, without a password. */
  readonly database: string
}

/** The note `alive`: the gateway that wrote it last. */
export interface AliveNote {
  readonly databaseId: string
  /** Its process (src/platform/process/identity.ts). */
  readonly process: string
  /** For people: the machine that it runs on. */
  readonly host: string
  /** A new value at every heartbeat. */
  readonly beat: string
  /** From one heartbeat to the next. A note of an earlier version does not say it. */
  readonly beatMs?: unknown
  /**
   * The id of another database, whose gateway asks whether the owner is alive. Such a note is not a heartbeat. The owner
   * replaces it with one.
   */
  readonly askedBy?: unknown
}

/** Undefined for a text that is not such a note: an empty one, or the rest of a damaged file. */
export function parseOwnerNote(text: string): OwnerNote | undefined {
  return parseNote(text, ['driveId', 'databaseId', 'database'])
}

export function parseAliveNote(text: string | undefined): AliveNote | undefined {
  return parseNote(text ?? '', ['databaseId', 'process', 'host', 'beat'])
}

/** On one line: a drive may keep a note as the name of a file. */
export function noteText(note: OwnerNote | AliveNote): string {
  return JSON.stringify(note)
}

function parseNote<Note extends object>(
  text: string,
  fields: readonly (keyof Note & string)[],
): Note | undefined {
  try {
    const note = JSON.parse(text) as Partial<Record<string, unknown>> | null
    return fields.every((field) => typeof note?.[field] === 'string') ? (note as Note) : undefined
  } catch {
    return undefined
  }
}
