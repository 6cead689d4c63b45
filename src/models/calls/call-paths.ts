import type { ServiceKind } from '../list/routing-inputs.ts'
import type { UpstreamFlavour } from '../upstream/upstream.ts'

/** A path that calls a model, or reads a stored response of one. */
export interface CallPath {
  /** Default: POST. */
  readonly method?: 'GET' | 'DELETE'
  /** Below `/v1`, and below the base URL of the upstream. `{id}` is the ID of a response. */
  readonly path: string
  readonly flavour: UpstreamFlavour
  /** If lists of several kinds contain an id, the model of one of these kinds is called. */
  readonly kinds: ReadonlySet<ServiceKind>
  /** The form of the body, which has the field `model`: a JSON object or multipart/form-data. */
  readonly body: 'json' | 'form' | 'none'
  /** Whether the upstream stores the answer, so that it is known under its ID. */
  readonly isStored?: boolean
  /** Whether calls use no tokens. */
  readonly isFree?: boolean
  readonly operationId: string
  readonly summary: string
}

const chat = new Set<ServiceKind>(['llm', 'imageToText'])
const openai = { flavour: 'openai', kinds: chat, body: 'json' } as const
const anthropic = { ...openai, flavour: 'anthropic' } as const
const isFree = true
const free = { ...openai, isFree } as const
const stored = { ...free, body: 'none' } as const
const read = { ...stored, method: 'GET' } as const
const of = (kind: ServiceKind, body: 'json' | 'form' = 'json') => {
  return { ...openai, kinds: new Set([kind]), body }
}

type Row = readonly [
  common: Omit<CallPath, 'path' | 'operationId' | 'summary'>,
  path: string,
  operationId: string,
  summary: string,
]

const rows: readonly Row[] = [
  [openai, '/chat/completions', 'createChatCompletion', 'Calls a chat model'],
  [openai, '/completions', 'createCompletion', 'Calls a text completion model'],
  [
    { ...openai, isStored: true },
    '/responses',
    'createResponse',
    "Calls a chat model through OpenAI's Responses",
  ],
  [openai, '/responses/compact', 'compactResponse', 'Shortens the input of a response'],
  [free, '/responses/input_tokens', 'countInputTokens', 'Counts the tokens of an input'],
  [read, '/responses/{id}', 'getResponse', 'Returns a stored response'],
  [
    { ...stored, method: 'DELETE' },
    '/responses/{id}',
    'deleteResponse',
    'Deletes a stored response',
  ],
  [stored, '/responses/{id}/cancel', 'cancelResponse', 'Cancels a response in the background'],
  [read, '/responses/{id}/input_items', 'listInputItems', 'Lists the input of a stored response'],
  [of('embedding'), '/embeddings', 'createEmbedding', 'Calls an embedding model'],
  [of('image'), '/images/generations', 'createImage', 'Calls an image model'],
  [of('image', 'form'), '/images/edits', 'createImageEdit', 'Calls an image model with images'],
  [free, '/moderations', 'createModeration', 'Calls a moderation model'],
  [openai, '/rerank', 'rerank', "Calls a reranking model, as Cohere's and Jina's"],
  [of('tts'), '/audio/speech', 'createSpeech', 'Calls a text-to-speech model'],
  [
    of('stt', 'form'),
    '/audio/transcriptions',
    'createTranscription',
    'Calls a speech-to-text model',
  ],
  [
    of('stt', 'form'),
    '/audio/translations',
    'createTranslation',
    'Calls a speech-to-text model, to English',
  ],
  [anthropic, '/messages', 'createMessage', "Calls a chat model through Anthropic's Messages"],
  [
    { ...anthropic, isFree },
    '/messages/count_tokens',
    'countMessageTokens',
    'Counts the tokens of a message',
  ],
]

/** Every path that calls a model. */
export const callPaths: readonly CallPath[] = rows.map(([common, path, operationId, summary]) => {
  return { ...common, path, operationId, summary }
})

/** The paths for models with this API, for messages. */
export const pathsOfFlavour = {
  openai: 'POST /v1/chat/completions or /v1/responses',
  anthropic: 'POST /v1/messages',
} as const satisfies Record<UpstreamFlavour, string>
