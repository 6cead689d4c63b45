import type { Environment } from './read-settings.ts'

/** The environment as of now. The only place that looks at it (docs/configuration.md). */
export function currentEnvironment(): Environment {
  return { ...process.env }
}
