import { hash } from 'node:crypto'
import { fieldOf, parsedJson } from '../../platform/text/json-text.ts'
import type { CallTarget } from '../list/resolve-model.ts'
import type { BodyFields } from './call-body.ts'
import { endOfValue } from './json-syntax.ts'

/**
 * The targets in the order of attempts. Connections of one priority share the calls of a model by their weights, and
 * calls of one conversation prefer the same connection, because the upstream's prompt cache knows its beginning
 * (weighted rendezvous hashing). A target that is paused is skipped: its conversations use the next one meanwhile, and
 * no other conversation moves.
 */
export function spread(
  targets: readonly CallTarget[],
  conversation: () => string,
): readonly CallTarget[] {
  if (targets.length < 2) return targets
  // Those of one model and priority.
  const groups = Map.groupBy(targets, ({ listedId, connection: { priority } }) =>
    JSON.stringify([listedId, priority]),
  )
  if (groups.size === targets.length) return targets
  const key = conversation()
  return [...groups.values()].flatMap((group) => {
    if (group.length === 1) return group
    const placed = group.map((target) => ({ target, at: placeOf(key, target) }))
    return placed.toSorted((a, b) => a.at - b.at).map(({ target }) => target)
  })
}

/** Exponentially distributed with the weight as its rate: each target is first with a probability by its weight. */
function placeOf(key: string, { connection: { id, weight } }: CallTarget): number {
  const digits = hash('sha1', JSON.stringify([key, id]), 'buffer').readUIntBE(0, 6)
  return -Math.log((digits + 0.5) / 2 ** 48) / weight
}

/** The maximum bytes of messages that are read to recognize a conversation. */
const maxMessagesBytes = 256 * 1024
/** The maximum number of messages up to the first one of the user. */
const maxMessages = 8

/**
 * What the calls of a conversation have in common: a key of the client (OpenAI's prompt_cache_key, x-session-affinity,
 * Anthropic's metadata.user_id, which contains the session of Claude Code), or its messages up to the first one of the user.
 *
 * @returns undefined if nothing shows to which conversation the call belongs
 */
export function conversationOf(fields: BodyFields, affinity: unknown): string | undefined {
  const keys = [
    fields.value('prompt_cache_key'),
    affinity,
    fieldOf(fields.value('metadata'), 'user_id'),
  ]
  const given = keys.find((key) => typeof key === 'string' && key !== '')
  // Kept with the pauses, so of a short length.
  if (given !== undefined) return hash('sha1', String(given))
  const messages = fields.bytes('messages') ?? fields.bytes('input')
  return messages === undefined ? undefined : beginningOf(messages.subarray(0, maxMessagesBytes))
}

const bracket = 0x5b

/** A digest of the messages up to the first one of the user. Clients move cache_control while a conversation grows. */
function beginningOf(messages: Buffer): string {
  const begun: unknown[] = []
  let at = messages.indexOf(bracket)
  const isList = at >= 0 && messages.toString('latin1', 0, at).trim() === ''
  for (let count = 0; isList && count < maxMessages; count += 1) {
    const start = messages.indexOf('{', at)
    const end = start < 0 ? undefined : endOfValue(messages, start)
    if (end === undefined) break
    const message = parsedJson(messages.toString('utf8', start, end))
    begun.push(message)
    if (fieldOf(message, 'role') === 'user') break
    at = end
  }
  return hash('sha1', (begun.length === 0 ? undefined : textOf(begun)) ?? messages)
}

/** Undefined for what is nested too deeply to be written. */
function textOf(begun: readonly unknown[]): string | undefined {
  try {
    return JSON.stringify(begun, (name, one) => (name === 'cache_control' ? undefined : one))
  } catch {
    return undefined
  }
}
