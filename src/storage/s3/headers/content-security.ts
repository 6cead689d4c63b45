/**
 * Objects come from the same origin as the dashboard, so an uploaded page must not be able to act
 * as the dashboard. `sandbox` gives every document a separate origin and runs no scripts; the other
 * directives load nothing from elsewhere. They allow only what browsers need to show an object that
 * is opened directly: viewers wrap an image, video or audio file in a small document with inline
 * styles that loads the object itself, which `default-src 'none'` alone would block.
 */
const sandboxed =
  "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'"

/**
 * Chrome refuses to start its PDF viewer in a sandbox. Scripts of the origin do not run in a PDF,
 * and nosniff keeps it from being read as another type, so it needs no sandbox.
 */
const forPdf = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"

/**
 * No comma is allowed: in a list of types the last one counts (Fetch standard, "extract a MIME
 * type").
 */
const pdf = /^application\/pdf\s*(?:;[^,]*)?$/i

/** The Content-Security-Policy of an object of this content type. */
export function contentSecurityPolicy(contentType: string): string {
  return pdf.test(contentType) ? forPdf : sandboxed
}
