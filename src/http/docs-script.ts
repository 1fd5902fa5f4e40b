/**
 * The script of the reference page, for browsers. Swagger UI's own parts are exchanged by its plug-in interface where
 * they give two fields one id, put a link into a button, or name a button otherwise than it is labelled.
 */
export const REFERENCE_SCRIPT = `
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);
const focusFirst = (input) => input && !input.closest('.modal-ux').contains(document.activeElement) && input.focus();
function OwnParts({ React, getComponent }) {
  const h = React.createElement;
  // The label around the choice of a request's media type has the same id.
  const contentType = (Original) => (props) =>
    h(Original, { ...props, controlId: props.controlId?.replace(/_requests_select$/, '_request_type') });
  const TextArea = (Original) => (props) => h(Original, { 'aria-label': 'Request body', ...props });
  return { wrapComponents: { contentType, TextArea }, components: {
    // The one server needs no choice, and a link must not stand within a button.
    ServersContainer: () => null,
    DeepLink: ({ text }) => h('span', null, text),
    // What a button is called is what it shows.
    Button: ({ 'aria-label': _, className = '', ...rest }) => h('button', { ...rest, className: className + ' button' }),
    authorizationPopup({ authSelectors, authActions, errSelectors, specSelectors, fn }) {
      const Auths = getComponent('auths');
      const close = () => authActions.showDefinitions(false);
      const auths = authSelectors.shownDefinitions().valueSeq().map((definitions, key) => h(Auths, {
        key, definitions, getComponent, AST: fn.AST ?? {}, errSelectors, authSelectors, authActions, specSelectors }));
      return h('div', { className: 'dialog-ux' }, h('div', { className: 'backdrop-ux', onClick: close }),
        h('div', { className: 'modal-ux', role: 'dialog', 'aria-modal': true, 'aria-labelledby': 'authorize-title',
          onKeyDown: (event) => event.key === 'Escape' && close() },
          h('div', { className: 'modal-dialog-ux' }, h('div', { className: 'modal-ux-inner' },
            h('div', { className: 'modal-ux-header' }, h('h2', { id: 'authorize-title' }, 'Credentials'),
              h('button', { type: 'button', className: 'close-modal', 'aria-label': 'Close', onClick: close }, '×')),
            h('div', { className: 'modal-ux-content' }, auths)))));
    },
    // Swagger UI gives all of its bearer fields one id, and the focus to the last of them.
    HttpAuth({ name, schema, authorized, onChange }) {
      const Markdown = getComponent('Markdown', true), Row = getComponent('Row');
      const isGiven = Boolean(authorized && authorized.getIn([name, 'value']));
      const change = (event) => onChange({ name, schema, value: event.target.value });
      const id = 'auth-' + name;
      return h('div', null,
        h('h4', null, h('label', { htmlFor: id }, h('code', null, name))),
        h(Row, null, h(Markdown, { source: schema.get('description') })),
        h(Row, null, isGiven ? h('p', null, 'Authorized') : h('input', {
          id, ref: focusFirst, type: 'text', autoComplete: 'off', spellCheck: false, onChange: change })));
    },
  } };
}
// Browsers send the cookie of a session by themselves: there is nothing to type in.
const dropCookie = (name, value) => name === 'operatorSession' ? undefined
  : name === 'security' ? value.filter((scheme) => !('operatorSession' in scheme)) : value;
// The page stands at two addresses.
const { root } = document.querySelector('#reference').dataset;
fetch(root + 'openapi.json').then((reply) => reply.text()).then((text) => JSON.parse(text, dropCookie)).then((spec) => SwaggerUIBundle({
  // Tried where the page was opened: a gateway answers at more names than the one it is published under.
  spec: { ...spec, servers: [{ url: new URL(root + 'v1', location.href).href }] },
  dom_id: '#reference', deepLinking: true, docExpansion: 'list', filter: true, plugins: [OwnParts],
  syntaxHighlight: { theme: 'obsidian' },
  defaultModelsExpandDepth: 0, displayRequestDuration: true, validatorUrl: null, persistAuthorization: false,
}), () => { document.getElementById('reference').textContent = 'The OpenAPI document could not be loaded.'; });`;
