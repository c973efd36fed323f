// Prepares tables for phones, where the stylesheet shows each row as a card.

/** A token of markdown-it, as far as this file uses it. */
interface Token {
  readonly type: string;
  readonly content: string;
  readonly children: readonly Token[] | null;
  meta: { readonly breaks?: boolean } | null;
  attrSet(name: string, value: string): void;
}

type Render = (tokens: Token[], n: number, ...rest: never[]) => string;

/** A Markdown renderer of markdown-it, as far as this file uses it. */
interface Markdown {
  readonly core: {
    readonly ruler: { push(name: string, rule: (state: { tokens: Token[] }) => void): void };
  };
  readonly renderer: { readonly rules: { code_inline?: Render | undefined } };
}

/** Adds the column's title to each body cell, as `data-label`. */
function label(tokens: readonly Token[]): void {
  let titles: string[] = [];
  let column = 0;
  for (const [n, token] of tokens.entries()) {
    if (token.type === 'table_open') titles = [];
    if (token.type === 'tr_open') column = 0;
    if (token.type === 'th_open') titles.push(tokens[n + 1]!.content.replaceAll('`', ''));
    if (token.type === 'td_open') token.attrSet('data-label', titles[column++] ?? '');
  }
}

/** Marks code in tables that may break after each underscore, such as long error codes. */
function breakCodes(tokens: readonly Token[]): void {
  let depth = 0;
  for (const token of tokens) {
    if (token.type === 'table_open') depth += 1;
    if (token.type === 'table_close') depth -= 1;
    if (depth === 0) continue;
    for (const child of token.children ?? [])
      if (child.type === 'code_inline' && child.content.includes('_'))
        child.meta = { breaks: true };
  }
}

/** Makes a Markdown renderer label table cells and break long codes. */
export function withCards(md: Markdown): void {
  md.core.ruler.push('cards', ({ tokens }) => {
    label(tokens);
    breakCodes(tokens);
  });
  const render = md.renderer.rules.code_inline!;
  md.renderer.rules.code_inline = (tokens, n, ...rest) => {
    const html = render(tokens, n, ...rest);
    return tokens[n]!.meta?.breaks ? html.replaceAll(/_(?=[^<>]*<\/code>)/g, '_<wbr>') : html;
  };
}
