import type { ProcessName } from '../../platform/process/identity.ts'
import type { Sealer } from '../../platform/state/sealer.ts'
import { parsedJson } from '../../platform/text/json-text.ts'

/**
 * Version of the format in which objects, uploads and locks are written to drives. Increase it when gateways of
 * the previous version can't use a drive at the same time.
 */
export const driveFormat = 1

/** What a gateway tells the other gateways of its database about itself. Unknown fields are kept. */
export interface GatewayFacts {
  /** For people: the machine that the gateway runs on. */
  readonly host: string
  readonly version: string
  readonly driveFormat: number
  /** ACCESS_KEY, sealed with SECRET_KEY. */
  readonly accessKey: string
  /** The ids of its drives, by the names of their settings. A drive that is not open is absent. */
  readonly drives: Readonly<Record<string, string>>
  /** The processes of the gateway that died most recently. Absent in rows of earlier versions. */
  readonly died?: readonly ProcessName[]
}

/** Undefined for a text in another format, which a later version may have written. */
export function parseGatewayFacts(json: string): GatewayFacts | undefined {
  const facts = (parsedJson(json) ?? {}) as Partial<Record<keyof GatewayFacts, unknown>>
  const texts = [facts.host, facts.version, facts.accessKey]
  const isComplete =
    texts.every((text) => typeof text === 'string') &&
    typeof facts.driveFormat === 'number' &&
    typeof facts.drives === 'object' &&
    facts.drives !== null
  return isComplete ? (facts as GatewayFacts) : undefined
}

/** The processes that have died according to the facts of their gateway. */
export function diedIn(json: string): readonly ProcessName[] {
  const died: unknown = parseGatewayFacts(json)?.died
  return Array.isArray(died) ? died.filter((name) => typeof name === 'string') : []
}

/** The facts that follow from a gateway's own settings. */
export interface OwnFacts {
  readonly facts: Omit<GatewayFacts, 'accessKey' | 'died'>
  readonly accessKey: string
  readonly sealer: Sealer
}

/** The purpose of the sealed text (Sealer). */
const sealedFor = 'ACCESS_KEY'

export function factsText(
  { facts, accessKey, sealer }: OwnFacts,
  died: readonly ProcessName[] = [],
): string {
  return JSON.stringify({ ...facts, accessKey: sealer.seal(accessKey, sealedFor), died })
}

/** Pure: why this gateway can't serve beside another one, as a user-facing message; undefined if it can. */
export function conflictWith(
  { facts, accessKey, sealer }: OwnFacts,
  other: GatewayFacts,
): string | undefined {
  const whose = `that of the gateway on ${other.host}, which uses the same database`
  const advice = 'Set it to the same value in all gateways, or stop the other ones first.'
  if (other.driveFormat !== facts.driveFormat) {
    return (
      `the gateway on ${other.host}, which uses the same database, is version ${other.version} and writes to ` +
      `drives in format ${other.driveFormat}; version ${facts.version} writes in format ${facts.driveFormat}. ` +
      'Stop it first, or run the same version'
    )
  }
  const otherKey = sealer.open(other.accessKey, sealedFor)
  if (otherKey === undefined) return `SECRET_KEY is not ${whose}. ${advice}`
  if (otherKey !== accessKey) return `ACCESS_KEY is not ${whose}. ${advice}`
  for (const [setting, driveId] of Object.entries(facts.drives)) {
    const others = other.drives[setting]
    if (others !== undefined && others !== driveId) {
      return `${setting} is another drive than ${whose}. ${advice}`
    }
  }
  return undefined
}
