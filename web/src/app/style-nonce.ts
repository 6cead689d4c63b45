/**
 * The nonce of this page's Content-Security-Policy, which lets the component library add style
 * elements. The browser hides it from attribute selectors; scripts read the property.
 */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}

/** Dialogs lock page scrolling with react-remove-scroll, which looks for the nonce here. */
export function announceNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
}
