import { ApiError } from '../../platform/json-api/api-error.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { CallTarget, Resolution } from '../list/resolve-model.ts'
import { compatibleFlavour, type UpstreamFlavour } from '../upstream/upstream.ts'
import type { Caller } from './call-access.ts'
import type { BodyFields, CallBody } from './call-body.ts'
import { type CallIndex, quoted } from './call-index.ts'
import { type CallPath, pathsOfFlavour } from './call-paths.ts'
import { withPrice } from './costs.ts'
import type { Sender } from './failures/pauses.ts'
import type { BodyField } from './model-name.ts'
import { spread } from './spreading.ts'
import type { StoredResponses } from './stored-responses.ts'
import { translatedTargets } from './translated-targets.ts'

export interface CallTargetsParts {
  readonly index: Pick<CallIndex, 'resolve'>
  readonly catalogue: Catalogue
  readonly responses: Pick<StoredResponses, 'withPrevious'>
}

interface Asked {
  readonly path: CallPath
  readonly caller: Caller
  readonly body: Pick<CallBody, 'model' | 'fields'>
  readonly sender: Sender
}

/** The targets of a call, in the order of attempts. @throws ApiError if it is refused, or no connection can take it */
export async function targetsOfCall(
  { path, caller, body: { model, fields }, sender }: Asked,
  { index, catalogue, responses }: CallTargetsParts,
): Promise<readonly CallTarget[]> {
  assertPlain(fields, caller)
  const found = await index.resolve(model, path.kinds, caller)
  const all = speaking(found, model, path, catalogue).flatMap((group) =>
    spread(group, sender.conversation),
  )
  const priced = caller.needsPrice && path.isFree !== true ? withPrice(all, model) : all
  if (!path.path.startsWith('/responses')) return priced
  return await responses.withPrevious(priced, fields, caller.keyId)
}

/** The targets that speak the path's API, and those to which the call is translated. @throws ApiError */
function speaking(
  { targets, isWeb }: Resolution,
  model: string,
  path: CallPath,
  catalogue: Catalogue,
): readonly (readonly CallTarget[])[] {
  if (isWeb) {
    const message = `${quoted(model)} is a web search or fetch entry, which cannot be called.`
    throw new ApiError(400, message, { code: 'model_not_supported' })
  }
  const flavourOf = (target: CallTarget) => flavourIn(catalogue, target)
  const suitable = targets.filter((target) => flavourOf(target) === path.flavour)
  const translated = translatedTargets(targets, path, flavourOf)
  if (suitable.length + translated.length > 0) return [suitable, translated]
  const [other] = targets
  const known = other && flavourOf(other)
  if (known !== undefined) {
    const message = `The connections of the model ${quoted(model)} speak another API. Use ${pathsOfFlavour[known]}.`
    throw new ApiError(400, message, { code: 'wrong_path' })
  }
  const message =
    other === undefined
      ? `No active connection has the model ${quoted(model)}. Add or enable one in the dashboard.`
      : `The catalogue has no API address for ${other.connection.provider}. Enter the base URL of an OpenAI-compatible API in its connection.`
  throw new ApiError(503, message, { code: 'no_connection' })
}

/** A provider with an address and an unknown API is taken for OpenAI-compatible. */
function flavourIn(
  { byId }: Catalogue,
  { connection: { provider, baseUrl } }: CallTarget,
): UpstreamFlavour | undefined {
  const known = compatibleFlavour(provider) ?? byId.get(provider)?.modelsApi?.flavour
  return known ?? (baseUrl === undefined ? undefined : 'openai')
}

/** Fields that make OpenRouter and LiteLLM use models other than the requested one. */
const otherModels = ['models', 'fallbacks'] as const

/** @throws ApiError 403 for a field by which a key would get around its models or its limits */
function assertPlain(fields: BodyFields, { patterns, isMetered, needsPrice }: Caller): void {
  const isGiven = (name: BodyField) => !['', 'null'].includes(String(fields.bytes(name) ?? ''))
  const refuse = (field: BodyField, limited: string) => {
    const message = `The field ${field} cannot be used with this key, because the key has ${limited}.`
    throw new ApiError(403, message, { field, code: 'unsupported_parameter' })
  }
  const other = otherModels.find(isGiven)
  if (other !== undefined && patterns !== undefined) refuse(other, 'a list of allowed models')
  if (other !== undefined && needsPrice) refuse(other, 'a limit in US dollars')
  // The answer of such a call reports no tokens yet.
  if (isMetered && fields.value('background') === true) refuse('background', 'a limit of use')
}
