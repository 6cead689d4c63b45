/** The title of the browser's tab: React lifts it into the head. */
export function PageTitle({ title }: { readonly title: string }) {
  return <title>{`${title} · Bucketry`}</title>
}
