import type { ServiceKind } from './routing-inputs.ts'

export type Kinds = ReadonlySet<ServiceKind>

/** The kinds of `/v1/models` itself. */
export const defaultKinds: Kinds = new Set(['llm'])

/** docs/contract/model-list.md, "Kinds by path". */
export const kindsOfPath: ReadonlyMap<string, Kinds> = new Map<string, Kinds>([
  ['image', new Set(['image'])],
  ['tts', new Set(['tts'])],
  ['stt', new Set(['stt'])],
  ['embedding', new Set(['embedding'])],
  ['image-to-text', new Set(['imageToText'])],
  ['web', new Set(['webSearch', 'webFetch'])],
])
