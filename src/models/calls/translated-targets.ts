import type { CallTarget } from '../list/resolve-model.ts'
import type { ModelApi } from '../translation/conversation.ts'
import type { UpstreamApi } from '../translation/translation.ts'
import type { UpstreamFlavour } from '../upstream/upstream.ts'
import type { CallPath } from './call-paths.ts'

/** A target that speaks another API than the client. */
export interface TranslatedTarget extends CallTarget {
  readonly api: UpstreamApi
  /** The same in the client's API, which is tried before: only without that path, the call is translated. */
  readonly native?: CallTarget
}

/** The API of each path whose calls can be translated. */
export const clientApis: ReadonlyMap<string, ModelApi> = new Map<string, ModelApi>([
  ['/chat/completions', 'chat'],
  ['/messages', 'messages'],
  ['/messages/count_tokens', 'messages'],
  ['/responses', 'responses'],
])
const upstreams = {
  chat: { path: '/chat/completions', flavour: 'openai' },
  messages: { path: '/messages', flavour: 'anthropic' },
} as const satisfies Record<UpstreamApi, { path: string; flavour: UpstreamFlavour }>

/**
 * The targets that can take a call of a path only in another API. Most OpenAI-compatible ones have Chat Completions, but
 * no Responses.
 */
export function translatedTargets(
  targets: readonly CallTarget[],
  { path, flavour }: CallPath,
  flavourOf: (target: CallTarget) => UpstreamFlavour | undefined,
): readonly TranslatedTarget[] {
  if (!clientApis.has(path)) return []
  return targets.flatMap((target) => {
    const own = flavourOf(target)
    const isSame = own === flavour && path !== '/responses'
    if (own === undefined || isSame || target.connection.translate === false) return []
    const native = own === flavour ? { native: target } : {}
    return [{ ...target, ...native, api: own === 'openai' ? 'chat' : 'messages' } as const]
  })
}

/** The API and the path at a target. */
export function upstreamOf(target: CallTarget, path: Pick<CallPath, 'path' | 'flavour'>) {
  return isTranslated(target) ? upstreams[target.api] : path
}

export function isTranslated(target: CallTarget): target is TranslatedTarget {
  return 'api' in target
}
