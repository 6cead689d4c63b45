/** The lists of `/v1/models` with their labels. */
export const lists = [
  { name: 'chat', label: 'Chat', path: '/v1/models' },
  { name: 'image', label: 'Image', path: '/v1/models/image' },
  { name: 'tts', label: 'Speech', path: '/v1/models/tts' },
  { name: 'stt', label: 'Transcription', path: '/v1/models/stt' },
  { name: 'embedding', label: 'Embedding', path: '/v1/models/embedding' },
  { name: 'image-to-text', label: 'Image to text', path: '/v1/models/image-to-text' },
  { name: 'web', label: 'Web', path: '/v1/models/web' },
] as const

export type ListName = (typeof lists)[number]['name']

/** The first list if no list has this name. */
export function listOf(name: string | null): (typeof lists)[number] {
  return lists.find((list) => list.name === name) ?? lists[0]
}
