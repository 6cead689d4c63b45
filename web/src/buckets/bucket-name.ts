import { bucketsTexts } from '../texts/buckets.ts'
/** Why this cannot be the name of a bucket, for people; undefined if it is a valid name. */
export function bucketNameProblem(name: string): string | undefined {
  if (name.length < 3 || name.length > 63) return bucketsTexts.name.length
  if (/[^a-z0-9.-]/.test(name)) return bucketsTexts.name.characters
  if (/^[^a-z0-9]|[^a-z0-9]$/.test(name)) return bucketsTexts.name.ends
  return undefined
}

/** A valid name like a text: "my-photos" for "My Photos". Undefined if nothing valid is left of it. */
export function validBucketName(text: string): string | undefined {
  // NFKD separates an accent from its letter.
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss')
  const name = plain
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/\.{2,}|-?\.-?/g, '.')
    .slice(0, 63)
    .replaceAll(/^[.-]+|[.-]+$/g, '')
  return bucketNameProblem(name) === undefined ? name : undefined
}
