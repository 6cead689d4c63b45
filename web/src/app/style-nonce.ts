/**
 * The nonce of this page's Content-Security-Policy, with which the component library may add its
 * style elements. The browser hides it from attribute selectors; scripts read the property.
 */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}

/** Dialogs lock the scrolling of the page by react-remove-scroll, which looks for the nonce here. */
export function announceNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
}
