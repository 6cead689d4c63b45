const identifier = /^[A-Za-z_$][\w$]*$/

/** The position of a value in JSON: `connections[2].providerSpecificData["my key"]`. */
export function jsonPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (!identifier.test(String(step))) text += `[${JSON.stringify(String(step))}]`
    else text += text === '' ? String(step) : `.${String(step)}`
  }
  return text
}
