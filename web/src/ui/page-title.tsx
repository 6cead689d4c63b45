/** The title of the browser tab. React moves it into the head. */
export function PageTitle({ title }: { readonly title: string }) {
  return <title>{`${title} · Bucketry`}</title>
}
