import type { Environment } from './read-settings.ts'

/** A copy of the current environment. Nothing else reads it (docs/configuration.md). */
export function currentEnvironment(): Environment {
  return { ...process.env }
}
