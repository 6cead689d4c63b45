import { resolve } from 'node:path'
import { type Environment, hasValue, isGiven } from './setting.ts'

/** MinIO's name → ours. */
const counterparts = {
  MINIO_ROOT_USER: 'ACCESS_KEY',
  MINIO_ROOT_PASSWORD: 'SECRET_KEY',
  MINIO_REGION: 'REGION',
  MINIO_SITE_REGION: 'REGION',
} as const

const rootNames = ['MINIO_ROOT_USER', 'MINIO_ROOT_PASSWORD'] as const

/** MinIO takes the path of a file with a secret as relative to this folder. */
const secretsFolder = '/run/secrets'

export interface MinioSettings {
  readonly environment: Environment
  /** What was taken, and what has no effect. */
  readonly warnings: readonly string[]
}

/**
 * Lets a compose file for MinIO start this program: its root user is the access key, and COMPATIBILITY is `aws`. Only
 * if ACCESS_KEY, SECRET_KEY and COMPATIBILITY do not say otherwise.
 */
export function withMinioSettings(environment: Environment): MinioSettings {
  const isOwn = isGiven(environment, 'ACCESS_KEY') || isGiven(environment, 'SECRET_KEY')
  const isContract = isGiven(environment, 'COMPATIBILITY') && environment.COMPATIBILITY !== 'aws'
  if (isOwn || isContract || !rootNames.every((name) => isGiven(environment, name))) {
    return { environment, warnings: [] }
  }
  const taken: Record<string, string | undefined> = { COMPATIBILITY: 'aws' }
  for (const [theirs, ours] of Object.entries(counterparts)) {
    if (isGiven(environment, ours)) continue
    if (hasValue(environment[theirs])) taken[ours] = environment[theirs]
    const file = environment[`${theirs}_FILE`]
    if (hasValue(file)) taken[`${ours}_FILE`] = resolve(secretsFolder, file)
  }
  return {
    environment: { ...environment, ...taken },
    warnings: [
      'MINIO_ROOT_USER and MINIO_ROOT_PASSWORD serve as ACCESS_KEY and SECRET_KEY, with COMPATIBILITY=aws. Set ' +
        'DASHBOARD_PASSWORD to use the dashboard (docs/moving-in.md, "From MinIO").',
      ...withoutEffect(environment),
    ],
  }
}

function withoutEffect(environment: Environment): string[] {
  const names = Object.keys(environment).filter((name) => {
    const isTaken = name.replace(/_FILE$/, '') in counterparts
    return name.startsWith('MINIO_') && !isTaken && hasValue(environment[name])
  })
  return names.length === 0 ? [] : [`${names.sort().join(', ')}: no effect here`]
}
