/**
 * Objects come from the same origin as the dashboard, so an uploaded page must not be able to act
 * as it: `sandbox` gives every document a separate origin and runs no script, and the rest loads
 * nothing from elsewhere. What is left is what browsers need to show an object that is opened
 * directly: their viewers wrap an image, a film or a sound in a small document with inline styles
 * that loads the object itself, which `default-src 'none'` alone would stop.
 */
const sandboxed =
  "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'"

/**
 * Chrome refuses to start its PDF viewer in a sandbox. A PDF is not a document that scripts of the
 * origin run in, and nosniff keeps it from becoming one, so it goes without.
 */
const forPdf = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"

/** Without a comma: of a list of types the last one counts (Fetch standard, "extract a MIME type"). */
const pdf = /^application\/pdf\s*(?:;[^,]*)?$/i

/** The Content-Security-Policy of an object of this content type. */
export function contentSecurityPolicy(contentType: string): string {
  return pdf.test(contentType) ? forPdf : sandboxed
}
