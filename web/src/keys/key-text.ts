import type { KeyReply } from '../../../src/dashboard/management/key-routes.ts'

export type Grant = KeyReply['grants'][number]
export type Action = Grant['actions'][number]

/** The actions of a grant, in the order in which they are shown. */
export const actionLabels: readonly {
  readonly value: Action
  readonly label: string
  /** What else the action allows. */
  readonly more?: string
}[] = [
  { value: 'list', label: 'List' },
  { value: 'read', label: 'Read' },
  { value: 'create', label: 'Add new files', more: 'Cannot replace or change existing files' },
  { value: 'write', label: 'Write', more: 'Can also replace existing files' },
  { value: 'delete', label: 'Delete', more: 'Where versions are on, they stay' },
  {
    value: 'read-version',
    label: 'Read versions',
    more: 'List and read what was replaced or deleted',
  },
  { value: 'delete-version', label: 'Delete versions', more: 'Permanently' },
  {
    value: 'bypass',
    label: 'Override locks',
    more: 'Remove GOVERNANCE locks and legal holds',
  },
  {
    value: 'manage',
    label: 'Manage the bucket',
    more: 'Create and remove it; set CORS and expiry rules, which can delete all files',
  },
]

/** Common combinations of actions. */
export const presets: readonly {
  readonly id: string
  readonly label: string
  readonly actions: readonly Action[]
}[] = [
  { id: 'read', label: 'List and read', actions: ['list', 'read'] },
  { id: 'create', label: 'List, read and add new files', actions: ['list', 'read', 'create'] },
  {
    id: 'write',
    label: 'List, read, write and delete',
    actions: ['list', 'read', 'write', 'delete'],
  },
  {
    id: 'all',
    label: 'Everything',
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

/** "photos, public/…: list and read". */
export function grantText({ bucket, prefix, actions }: Grant): string {
  const place = bucket === '*' ? 'All buckets' : bucket
  const within = prefix === '' ? place : `${place}, ${prefix}…`
  const preset = presets.find(({ id }) => id === presetOf(actions))
  const ordered = actionLabels.filter(({ value }) => actions.includes(value))
  const rights = preset?.label ?? ordered.map(({ label }) => label).join(', ')
  return `${within}: ${rights.toLowerCase()}`
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
    problem !== null && { label: 'not usable', color: 'red' },
    isDisabled && { label: 'disabled', color: 'gray' },
    isExpired && { label: 'expired', color: 'red' },
    isRotating && { label: 'old secret still valid', color: 'blue' },
    source === 'file' && { label: 'from ACCESS_KEYS', color: 'gray' },
  ]
  return states.filter((state) => state !== false)
}
