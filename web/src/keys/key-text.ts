import type { KeyReply } from '../../../src/dashboard/management/key-routes.ts'
import { frameTexts } from '../texts/frame.ts'
import { keysTexts } from '../texts/keys.ts'

export type Grant = KeyReply['grants'][number]
export type Action = Grant['actions'][number]

/** The actions of a grant, in the order in which they are shown. */
export const actionLabels: readonly {
  readonly value: Action
  readonly label: string
  /** What else the action allows. */
  readonly more?: string
}[] = [
  { value: 'list', label: keysTexts.actions.list.label },
  { value: 'read', label: keysTexts.actions.read.label },
  { value: 'create', label: keysTexts.actions.add.label, more: keysTexts.actions.add.more },
  { value: 'write', label: keysTexts.actions.write.label, more: keysTexts.actions.write.more },
  { value: 'delete', label: keysTexts.actions.delete.label, more: keysTexts.actions.delete.more },
  {
    value: 'read-version',
    label: keysTexts.actions.readVersions.label,
    more: keysTexts.actions.readVersions.more,
  },
  {
    value: 'delete-version',
    label: keysTexts.actions.deleteVersions.label,
    more: keysTexts.actions.deleteVersions.more,
  },
  {
    value: 'bypass',
    label: keysTexts.actions.locks.label,
    more: keysTexts.actions.locks.more,
  },
  {
    value: 'manage',
    label: keysTexts.actions.manage.label,
    more: keysTexts.actions.manage.more,
  },
]

/** Common combinations of actions. */
export const presets: readonly {
  readonly id: string
  readonly label: string
  readonly actions: readonly Action[]
}[] = [
  { id: 'read', label: keysTexts.sets.read, actions: ['list', 'read'] },
  { id: 'create', label: keysTexts.sets.add, actions: ['list', 'read', 'create'] },
  {
    id: 'write',
    label: keysTexts.sets.write,
    actions: ['list', 'read', 'write', 'delete'],
  },
  {
    id: 'all',
    label: keysTexts.sets.all,
    actions: actionLabels.map(({ value }) => value).filter((value) => value !== 'create'),
  },
]

/** The actions of a changed choice. Write includes adding files, so the one that was chosen last replaces the other. */
export function chosenActions(before: readonly Action[], values: readonly string[]): Action[] {
  const chosen = actionLabels.map(({ value }) => value).filter((one) => values.includes(one))
  const older = before.includes('create') ? 'create' : 'write'
  const hasBoth = chosen.includes('create') && chosen.includes('write')
  return hasBoth ? chosen.filter((one) => one !== older) : chosen
}

/** The preset with exactly these actions; undefined: another combination. */
export function presetOf(actions: readonly Action[]): string | undefined {
  const isSame = (one: readonly Action[]) =>
    one.length === actions.length && one.every((action) => actions.includes(action))
  return presets.find((preset) => isSame(preset.actions))?.id
}

/** The keys that clients can use. */
export function usableKeys(keys: readonly KeyReply[], nowMs: number): readonly KeyReply[] {
  return keys.filter(({ isDisabled, expiresAt, problem }) => {
    const isExpired = expiresAt !== null && Date.parse(expiresAt) <= nowMs
    return !isDisabled && !isExpired && problem === null
  })
}

/** A bucket for examples; undefined if the key is for no bucket in particular. */
export function grantedBucket({ grants }: Pick<KeyReply, 'grants'>): string | undefined {
  return grants.find(({ bucket }) => bucket !== '*')?.bucket
}

/** "photos, public/…: list and read". */
export function grantText({ bucket, prefix, actions }: Grant): string {
  const place = bucket === '*' ? keysTexts.allBuckets : bucket
  const within = prefix === '' ? place : `${place}, ${prefix}…`
  const preset = presets.find(({ id }) => id === presetOf(actions))
  const ordered = actionLabels.filter(({ value }) => actions.includes(value))
  const rights = preset?.label ?? ordered.map(({ label }) => label).join(', ')
  return `${within}: ${frameTexts.inSentence(rights)}`
}

export interface KeyState {
  readonly label: string
  readonly color: 'red' | 'gray' | 'blue'
}

/** The states of a key that need pointing out, most important first; empty for an ordinary valid key. */
export function keyStates(key: KeyReply, nowMs: number): KeyState[] {
  const { isDisabled, expiresAt, oldSecretUntil, source, problem } = key
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= nowMs
  const isRotating = oldSecretUntil !== null && Date.parse(oldSecretUntil) > nowMs
  const states: (KeyState | false)[] = [
    problem !== null && { label: keysTexts.badges.unusable, color: 'red' },
    isDisabled && { label: keysTexts.badges.disabled, color: 'gray' },
    isExpired && { label: keysTexts.badges.expired, color: 'red' },
    isRotating && { label: keysTexts.badges.rotating, color: 'blue' },
    source === 'file' && { label: keysTexts.badges.environment, color: 'gray' },
  ]
  return states.filter((state) => state !== false)
}
