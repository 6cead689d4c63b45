export type Environment = Readonly<Record<string, string | undefined>>

/** A copy of the current environment. Nothing else reads it (docs/configuration.md). */
export function currentEnvironment(): Environment {
  return { ...process.env }
}

/** Whether a setting has a value, directly or in a file. */
export function isGiven(environment: Environment, name: string): boolean {
  return hasValue(environment[name]) || hasValue(environment[`${name}_FILE`])
}

export function hasValue(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}
