import { modelsTexts } from '../../texts/models.ts'
/** The lists of `/v1/models` with their labels. */
export const lists = [
  { name: 'chat', label: modelsTexts.kind.chat, path: '/v1/models' },
  { name: 'image', label: modelsTexts.kind.image, path: '/v1/models/image' },
  { name: 'tts', label: modelsTexts.kind.speech, path: '/v1/models/tts' },
  { name: 'stt', label: modelsTexts.kind.transcription, path: '/v1/models/stt' },
  { name: 'embedding', label: modelsTexts.kind.embedding, path: '/v1/models/embedding' },
  { name: 'image-to-text', label: modelsTexts.kind.imageToText, path: '/v1/models/image-to-text' },
  { name: 'web', label: modelsTexts.kind.web, path: '/v1/models/web' },
] as const

export type ListName = (typeof lists)[number]['name']

/** The first list if no list has this name. */
export function listOf(name: string | null): (typeof lists)[number] {
  return lists.find((list) => list.name === name) ?? lists[0]
}
