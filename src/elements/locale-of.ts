/** A page's locale, or that of the texts where it is none: `en_US` of a server has no numbers. */
export function localeOf(locale: string | undefined, texts: { readonly locale: string }): string {
  try {
    return `${new Intl.Locale(locale!)}`;
  } catch {
    return texts.locale;
  }
}
