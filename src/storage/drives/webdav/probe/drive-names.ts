import { DriveError } from '../../drive-error.ts'
import type { KeyLeases } from '../../kit/key-leases.ts'
import type { NameRules } from '../../kit/names/name-rules.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'
import { readSmallFile } from '../objects/own-files.ts'
import { namesFile } from '../own-folder.ts'
import { type NameFindings, NameProbe } from './name-probe.ts'

const version = 1
const maxFileBytes = 64 * 1024
/** No bucket can have this name, so no object has this lease key. */
const leaseKey = '.bucketry/names'

export interface DriveNamesParts {
  readonly server: DavServer
  readonly leases: KeyLeases
  /** Whether this process just created the drive's own folder: then there is no such file yet. */
  readonly isNew: boolean
  /** An existing folder for exclusive use; its owner removes it. */
  readonly folder: DavPath
}

/**
 * What the server cannot name, as found when the drive was first opened. Different findings after an
 * update of the server must not change the paths of existing keys.
 */
export async function findDriveNames(parts: DriveNamesParts): Promise<NameFindings> {
  return (
    (parts.isNew ? undefined : await readFindings(parts.server)) ??
    // If several processes start for the first time, one of them probes.
    (await parts.leases.hold([leaseKey], async () => {
      return (await readFindings(parts.server)) ?? (await probeNames(parts))
    }))
  )
}

async function probeNames({ server, folder }: DriveNamesParts): Promise<NameFindings> {
  const findings = await new NameProbe(server, folder).run()
  const from = [...folder, 'names.json']
  const body = Buffer.from(JSON.stringify({ version, findings }, undefined, 2))
  await server.store(from, body)
  await server.moveToFree(from, namesFile)
  return findings
}

async function readFindings(server: DavServer): Promise<NameFindings | undefined> {
  const entry = await server.stat(namesFile)
  if (entry === undefined) return undefined
  const bytes = await readSmallFile(server, namesFile, maxFileBytes)
  return bytes && parse(bytes.toString())
}

function parse(text: string): NameFindings {
  try {
    const file = JSON.parse(text) as { version: number; findings: NameFindings }
    const { findings } = file
    const { characters, beginnings, endings, names, indexNames } = findings
    const lists = [characters, beginnings, endings, names, indexNames]
    const isWhole =
      file.version === version &&
      Number.isSafeInteger(findings.maxNameBytes) &&
      findings.maxNameBytes >= 100 &&
      lists.every((list) => list.every((text) => typeof text === 'string'))
    if (isWhole) return findings
  } catch (error) {
    throw strange(error)
  }
  throw strange()
}

function strange(cause?: unknown): DriveError {
  const message =
    'This version of Bucketry cannot read the file .bucketry/names.json. It defines how keys ' +
    'are written as names: restore the original file.'
  return new DriveError('denied', message, { cause })
}

/**
 * Always escaped, and never tried. Servers mistreat control characters (lighttpd replaces each by `_`,
 * so that two keys would be one file), and read these names as their own settings.
 */
const neverCharacters = '\u0001-\u001f\u007f'
const neverBeginnings = ['\\.ht', '\\.user\\.ini$', '\\.dav$', '\\.davfs\\.tmp']

/**
 * Characters that fold to others: capitals, what Unicode's full folding changes (ς, ſ, µ, ß;
 * CaseFolding.txt), and small letters that share a capital with another one.
 */
const foldedCharacters = ['\\p{Lu}', '\\p{Lt}', '\\p{CWCF}', '\\u0131\\u1fbe\\u1fd3\\u1fe3']

/** The rules that follow from the findings. */
export function rulesFrom(findings: NameFindings): NameRules {
  const { characters, beginnings, endings, names, indexNames } = findings
  const classes = [neverCharacters, ...characters.map(escapeForClass)]
  if (findings.foldsCase) classes.push(...foldedCharacters)
  if (findings.decomposes) classes.push('\\u0080-\\u{10ffff}')
  const starts = [
    ...neverBeginnings,
    ...beginnings.map(escapeForRegex),
    ...[...names, ...indexNames].map((name) => `${escapeForRegex(name)}$`),
    // If the server loses one space, it loses more as well.
    ...(names.includes(' ') ? ['\\s+$'] : []),
  ]
  return {
    maxNameBytes: findings.maxNameBytes,
    composes: findings.composes,
    characters: new RegExp(`[${classes.join('')}]`, 'u'),
    beginnings: new RegExp(`^(?:${starts.join('|')})`, 'iu'),
    endings:
      endings.length === 0
        ? undefined
        : new RegExp(`(?:${endings.map(escapeForRegex).join('|')})$`, 'iu'),
  }
}

function escapeForRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

function escapeForClass(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
