/** Checksum algorithms of S3, with AWS's names. */
export const checksumAlgorithms = [
  ...(['CRC32', 'CRC32C', 'CRC64NVME', 'MD5', 'SHA1', 'SHA256', 'SHA512'] as const),
  ...(['XXHASH64', 'XXHASH3', 'XXHASH128'] as const),
] as const
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number]
