/**
 * The form in which names are compared: NFC and upper case, so that canonical forms and case do not matter. Upper case
 * also unites the forms of sigma, and ß with SS; the dotted capital I of Turkish becomes I.
 */
export function foldedName(text: string): string {
  return text.normalize('NFC').toUpperCase().normalize('NFC').replaceAll('\u0130', 'I')
}
