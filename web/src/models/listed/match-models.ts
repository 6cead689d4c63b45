/** The models whose id or owner contains every word of the search, ignoring case. */
export function matchModels<Model extends { readonly id: string; readonly owned_by: string }>(
  models: readonly Model[],
  search: string,
): readonly Model[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return models
  return models.filter(({ id, owned_by }) => {
    const text = `${id} ${owned_by}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
