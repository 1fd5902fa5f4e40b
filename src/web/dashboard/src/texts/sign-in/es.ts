import type { Texts } from '../area-texts.ts';

export const signIn: Texts['signIn'] = {
  title: 'Iniciar sesión',
  lead: 'Gestione integraciones y conexiones.',
  email: 'Correo electrónico',
  password: 'Contraseña',
  showPassword: 'Mostrar la contraseña',
  submit: 'Iniciar sesión',
  otpTitle: 'Segundo factor',
  otpLead:
    'Introduzca los seis dígitos que muestra su aplicación de autenticación o uno de sus códigos de recuperación.',
  otp: 'Código',
  otpSubmit: 'Continuar',
  singleSignOn: 'Entrar con inicio de sesión único',
  or: 'o',
  forgotten: '¿Olvidó su contraseña?',
  forgottenTitle: 'Restablecer la contraseña',
  forgottenLead: 'Enviamos un enlace a esta dirección si pertenece a un operador.',
  forgottenSubmit: 'Enviar enlace',
  forgottenSent: (email) => `Si ${email} pertenece a un operador, el enlace está en camino.`,
  forgottenNoMail: 'Este gateway no envía correo. En su servidor, este comando imprime un enlace:',
  notSetUpTitle: 'Aún sin configurar',
  notSetUpText: 'Abra el enlace que el gateway imprimió al arrancar. Tiene este aspecto:',
  ended: 'Su sesión ha terminado. Inicie sesión para seguir donde estaba.',
  errors: {
    single_sign_on_link_needed:
      'Ya existe un operador con este correo. Entre una vez con la contraseña en este navegador; eso vincula la cuenta.',
    email_unverified: 'Su proveedor de identidad no ha verificado este correo. Pídaselo a su administrador.',
    domain_not_allowed:
      'Este gateway no admite cuentas de este dominio de correo. Un propietario puede invitarle.',
    not_set_up: 'El gateway aún no está configurado. Abra el enlace que imprimió al arrancar.',
    single_sign_on_expired: 'Tardó demasiado o se empezó en otro navegador. Inténtelo de nuevo.',
    single_sign_on_failed:
      'El proveedor de identidad lo rechazó o respondió algo inservible. El registro del gateway dice más.',
    single_sign_on_unavailable:
      'El proveedor de identidad no responde. Inténtelo más tarde o entre con la contraseña.',
    other: (code) => `El inicio de sesión único no funcionó (${code}).`,
  },
};

export const setup: Texts['setup'] = {
  title: 'Configurar el gateway',
  lead: 'Usted será el propietario. Después podrá invitar a otras personas.',
  token: 'Token de configuración',
  tokenHint: 'El gateway lo imprime al arrancar, o está en SETUP_TOKEN.',
  passwordHint: '12 caracteres o más.',
  projectName: 'Proyecto',
  projectHint: 'Normalmente el nombre de su aplicación. Se puede cambiar más tarde.',
  projectDefault: 'Mi proyecto',
  submit: 'Crear propietario y proyecto',
  alreadyTitle: 'Ya está configurado',
  alreadyText: 'Este gateway tiene propietario. Inicie sesión o pídale una invitación.',
};

export const invitation: Texts['invitation'] = {
  title: (project) => `Unirse a ${project}`,
  loadingTitle: 'Invitación',
  lead: (email, role) => `${email} tiene una invitación como ${role}.`,
  name: 'Su nombre',
  choosePassword: 'Elija una contraseña',
  existing: 'Tiene una cuenta con este correo. Escriba su contraseña para unirse.',
  signedInAs: 'Ha iniciado sesión con esta cuenta.',
  submit: 'Unirse al proyecto',
  missing: 'Este enlace está incompleto. Ábralo de nuevo tal como se lo enviaron.',
};

export const resetPassword: Texts['resetPassword'] = {
  title: 'Elija una contraseña nueva',
  password: 'Contraseña nueva',
  submit: 'Guardar e iniciar sesión',
  missing: 'Este enlace está incompleto. Ábralo de nuevo tal como se lo enviaron.',
};
